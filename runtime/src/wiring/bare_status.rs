//! Where the status of an object is stored besides memory, if its kind has none of ours.

/// The settings of `#[reconciler(bare_status(..))]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BareStatusStore {
    /// Whether an annotation of the object holds the status after the last success, so that a restart runs no body.
    pub annotation: bool,
    /// The domain under which the conditions are added to `.status.conditions` of the object: `example.com/Ready`.
    pub conditions: Option<&'static str>,
}

impl BareStatusStore {
    /// The status is stored in memory only. This is the default.
    pub const NONE: Self = Self { annotation: false, conditions: None };
}
