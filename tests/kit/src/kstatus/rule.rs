//! The rules of the checker and the names they go by elsewhere.

/// One rule of the checker. The numbers are Flux's; there is no F10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// The observed generation is newer than the object's.
    F6,
    /// Ready although the observed generation is older than the object's.
    F7,
    /// Ready although some condition is older than the object.
    F8,
    /// Ready although some condition has another generation than the status.
    F9,
    /// Ready is Unknown or missing although nothing is under way.
    F11,
    /// Ready is True while a declared negative condition is present.
    W1,
    /// Ready does not repeat the most important negative condition.
    W2,
    /// Reconciling is present but False.
    W3,
    /// Stalled is present but False.
    W4,
    /// A condition has no generation.
    W5,
}

impl Rule {
    /// The rules for an object at rest.
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

    /// The rules for an object that is being worked on.
    pub(crate) const IN_PROGRESS: [Self; 8] =
        [Self::F2, Self::F4, Self::F5, Self::F6, Self::F11, Self::W3, Self::W4, Self::W5];

    /// The name in Flux's checker, such as `FAIL0001` or `WARN0002`.
    #[must_use]
    pub fn id(self) -> String {
        let name = format!("{self:?}");
        let (word, number) = if self.is_strict() { ("FAIL", &name[1..]) } else { ("WARN", &name[1..]) };
        format!("{word}{number:0>4}")
    }

    /// True for a rule whose violation misleads observers; the others are advice.
    #[must_use]
    pub fn is_strict(self) -> bool {
        self < Self::W1
    }
}
