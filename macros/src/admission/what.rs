//! Which of the two attributes it is.

/// The attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Validate,
    Mutate,
}

impl What {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Validate => "validate",
            Self::Mutate => "mutate",
        }
    }

    /// The function, in messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Validate => "validation",
            Self::Mutate => "mutation",
        }
    }
}
