//! A field of an installed CRD that does not fit the type of the program.

use std::fmt;

/// A field that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Such as `.status.artifact.digest`.
    pub(crate) path: String,
    /// What is wrong with it in the CRD.
    pub(crate) what: What,
}

/// What is wrong with a field in the CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It is not there, so the API server refuses or drops it.
    Missing,
    /// It has another type than in the program.
    Type { installed: String, expected: String },
    /// It does not allow these values.
    Values(Vec<String>),
    /// It does not allow null.
    Null,
    /// It does not keep what it does not name.
    Closed,
    /// It is not a list whose items have these keys.
    Keys(Vec<String>),
    /// It requires a field that the type does not have.
    Requires(String),
}

/// The first misfits in a sentence, and how many there are besides.
pub(crate) fn listed(misfits: &[Misfit]) -> String {
    const MOST: usize = 5;
    let shown: Vec<String> = misfits.iter().take(MOST).map(ToString::to_string).collect();
    let more = misfits.len().saturating_sub(MOST);
    let rest = if more == 0 { String::new() } else { format!(", and {more} more") };
    format!("{}{rest}", shown.join(", "))
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.what {
            What::Missing => write!(f, "{path} is missing"),
            What::Type { installed, expected } => write!(f, "{path} has the type {installed} instead of {expected}"),
            What::Values(values) => write!(f, "{path} does not allow {}", values.join(", ")),
            What::Null => write!(f, "{path} does not allow null"),
            What::Closed => write!(f, "{path} does not keep unknown fields"),
            What::Keys(keys) => write!(f, "{path} is not a list map with the keys {}", keys.join(", ")),
            What::Requires(field) => write!(f, "{path} requires {field}, which the program does not have"),
        }
    }
}
