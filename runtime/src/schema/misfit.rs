//! A field of an installed CRD that does not fit the type of the program.

use std::fmt;

/// A field that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// For example `.status.artifact.digest`.
    pub(crate) path: String,
    /// How the field in the CRD does not fit.
    pub(crate) what: What,
}

/// How a field in the CRD does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The field is missing, so the API server rejects or prunes it.
    Missing,
    /// The type differs from that of the program.
    Type { installed: String, expected: String },
    /// These values are not allowed.
    Values(Vec<String>),
    /// Null is not allowed.
    Null,
    /// Unknown fields are pruned.
    Closed,
    /// The field is not a list map with these keys.
    Keys(Vec<String>),
    /// The schema requires a field that the type does not have.
    Requires(String),
}

/// The first misfits in a sentence, and the number of the others.
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
