//! What an earlier tool left on the dependents of a step.

/// The marks and the field managers of an earlier tool, whose objects the step takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormerTool {
    /// The field managers whose fields become those of the operator.
    pub managers: &'static [&'static str],
    /// The prefixes of the labels and annotations with which components of SAP mark their objects.
    pub marks: &'static [&'static str],
}

impl FormerTool {
    /// No earlier tool.
    pub const NONE: Self = Self { managers: &[], marks: &[] };
}
