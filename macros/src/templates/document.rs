//! What is literal in one document.

use super::plain_text::PRINTED;

/// A value in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    /// The value is literal.
    Literal(String),
    /// An expression is part of it.
    Printed,
}

impl Scalar {
    /// A value without its quotation marks and the comment behind it.
    pub(super) fn read(text: &str) -> Self {
        let text = text.trim();
        let quoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.split_once(quote));
        let plain = match quoted {
            Some((inner, _)) => inner,
            None => text.find(" #").map_or(text, |at| &text[..at]).trim_end(),
        };
        if plain.contains(PRINTED) { Self::Printed } else { Self::Literal(plain.to_owned()) }
    }

    /// The literal text.
    pub(super) fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Printed => None,
        }
    }
}

/// A value, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct At<T> {
    pub(super) line: usize,
    pub(super) value: T,
}

/// An annotation of evenkeel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Annotation {
    /// The name with its prefix.
    pub(super) name: String,
    pub(super) value: Scalar,
    /// Whether the value is in quotation marks.
    pub(super) quoted: bool,
}

/// One document of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// The first line with content.
    pub(super) line: usize,
    /// Each `apiVersion` in the first column; several if they are alternatives.
    pub(super) api_versions: Vec<At<Scalar>>,
    /// Each `kind` in the first column.
    pub(super) kinds: Vec<At<Scalar>>,
    pub(super) name: Option<Scalar>,
    pub(super) namespace: Option<Scalar>,
    pub(super) annotations: Vec<At<Annotation>>,
    /// Whether it may be there not at all, or several times.
    pub(super) conditional: bool,
    /// Whether it has content of its own. What consists only of statements and expressions is written elsewhere.
    pub(super) has_content: bool,
}
