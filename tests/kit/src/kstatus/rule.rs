//! The rules of the checker, with their names in Flux.

/// A rule of the checker, with the number that it has in Flux.
///
/// There is no F10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// Ready is True while a declared negative condition is True.
    F1,
    /// There is no Ready condition.
    F2,
    /// Reconciling is True and Ready is not False.
    F3,
    /// Stalled is True and Ready is not False.
    F4,
    /// Reconciling and Stalled are both present.
    F5,
    /// The observed generation is newer than the generation of the object.
    F6,
    /// Ready is True, but the generation of the object is not yet observed.
    F7,
    /// Ready is True, but a condition was observed for an older generation.
    F8,
    /// Ready is True, but a condition has another observed generation than the status.
    F9,
    /// Ready is Unknown or missing while Reconciling is not True.
    F11,
    /// Ready is True while a declared negative condition is present.
    W1,
    /// Ready is not True, but does not repeat the most important negative condition.
    W2,
    /// Reconciling is present but False.
    W3,
    /// Stalled is present but False.
    W4,
    /// A condition has no observed generation.
    W5,
}

impl Rule {
    /// The rules for an object after a pass.
    pub(crate) const FINAL: [Self; 14] = [
        Self::F1,
        Self::F2,
        Self::F3,
        Self::F4,
        Self::F5,
        Self::F6,
        Self::F7,
        Self::F8,
        Self::F9,
        Self::W1,
        Self::W2,
        Self::W3,
        Self::W4,
        Self::W5,
    ];

    /// The rules for an object in the middle of a pass.
    pub(crate) const IN_PROGRESS: [Self; 8] =
        [Self::F2, Self::F4, Self::F5, Self::F6, Self::F11, Self::W3, Self::W4, Self::W5];

    /// Returns the name in the checker of Flux, such as `FAIL0001` or `WARN0002`.
    #[must_use]
    pub fn id(self) -> String {
        let name = format!("{self:?}");
        let (word, number) = if self.is_strict() { ("FAIL", &name[1..]) } else { ("WARN", &name[1..]) };
        format!("{word}{number:0>4}")
    }

    /// Returns whether a violation misleads observers.
    ///
    /// The other rules are recommendations.
    #[must_use]
    pub fn is_strict(self) -> bool {
        self < Self::W1
    }
}
