//! Why an object is no longer wanted.

use crate::dependent_rules::policy::DeletePolicy;

/// Why an object is no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalReason {
    /// No manifest of the component has it any more.
    Redundant,
    /// The component is deleted.
    ComponentDeleted,
}

impl RemovalReason {
    /// All reasons.
    pub const ALL: [Self; 2] = [Self::Redundant, Self::ComponentDeleted];

    /// Whether an object with this policy stays.
    #[must_use]
    pub fn orphans(self, policy: DeletePolicy) -> bool {
        match policy {
            DeletePolicy::Delete | DeletePolicy::DeleteWithContent => false,
            DeletePolicy::Orphan => true,
            DeletePolicy::OrphanOnApply => self == Self::Redundant,
            DeletePolicy::OrphanOnDelete => self == Self::ComponentDeleted,
        }
    }
}
