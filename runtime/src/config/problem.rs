//! What is wrong with a configuration file, without the values in it.

use std::fmt;

use serde_saphyr::Error;

use crate::outcome::message::sanitize;

/// What is wrong with a configuration file: the place, the cause and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The line and the column, from 1.
    pub(crate) place: Option<(u64, u64)>,
    pub(crate) text: String,
    pub(crate) help: String,
}

impl Problem {
    pub(crate) fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: None, text: text.into(), help: help.into() }
    }

    pub(crate) fn at(self, place: Option<(u64, u64)>) -> Self {
        Self { place: place.or(self.place), ..self }
    }

    /// The problem of a text that is no YAML. Messages that may contain values are left out.
    pub(super) fn of_text(error: &Error) -> Self {
        let cause = match error {
            Error::Message { msg, .. } if msg.contains(['"', '`']) => "the text is no valid YAML".to_owned(),
            error => cause(error),
        };
        Self::new(cause, "write one YAML mapping, such as `concurrency: 4`").at(place(error))
    }

    /// The problem of a value that does not fit the type of the program.
    pub(super) fn of_settings(error: &Error) -> Self {
        let help = "write what the type of the settings in the program accepts";
        Self::new(format!("settings: {}", cause(error)), help).at(place(error))
    }

    /// The place in the file: `shop.yaml:3:5`.
    pub(crate) fn in_file<'p>(&'p self, path: &'p std::path::Path) -> impl fmt::Display + 'p {
        struct Place<'p>(&'p std::path::Path, Option<(u64, u64)>);
        impl fmt::Display for Place<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Self(path, place) = self;
                write!(f, "{}", path.display())?;
                place.map_or(Ok(()), |(line, column)| write!(f, ":{line}:{column}"))
            }
        }
        Place(path, self.place)
    }
}

fn place(error: &Error) -> Option<(u64, u64)> {
    error.location().map(|at| (at.line(), at.column())).filter(|(line, _)| *line > 0)
}

/// The cause, without values of the file: a person may have put a password into it.
fn cause(error: &Error) -> String {
    match error {
        Error::AliasError { error, .. } => cause(error),
        Error::Unexpected { expected, .. } => format!("the value has another type; expected {expected}"),
        Error::SerdeInvalidType { expected, .. } => format!("the value has another type; expected {expected}"),
        Error::SerdeInvalidValue { expected, .. } => format!("the value is not allowed; expected {expected}"),
        Error::SerdeInvalidLength { len, expected, .. } => format!("{len} items are not allowed; expected {expected}"),
        Error::SerdeUnknownVariant { expected, .. } => {
            format!("the value is not allowed; expected one of {}", expected.join(", "))
        }
        Error::SerdeUnknownField { field, expected, .. } => {
            format!("unknown field `{field}`; expected one of {}", expected.join(", "))
        }
        Error::SerdeMissingField { field, .. } => format!("the field `{field}` is missing"),
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("the key `{key}` is there twice"),
        Error::InvalidScalar { ty, .. } => format!("the value has another type; expected {ty}"),
        Error::NonFiniteFloat { .. } => "a number is not finite".to_owned(),
        Error::InvalidBooleanStrict { .. } => "the value has another type; expected `true` or `false`".to_owned(),
        // The words of the author's own check.
        Error::Message { msg, .. } => sanitize(msg),
        _ => "the text is no valid YAML, or does not have the form of the settings".to_owned(),
    }
}
