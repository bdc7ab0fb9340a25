//! What the checks of a set read of an object.

use super::item::Item;
use crate::dependent_rules::order::ManagedType;

/// An object of the set, what is sent of it, and the types that it defines.
pub(crate) struct Checked<'a> {
    pub(crate) item: &'a Item,
    pub(crate) types: &'a [ManagedType],
    /// Whether the update policy comes from the object itself.
    pub(crate) has_own_update: bool,
}
