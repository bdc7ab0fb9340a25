//! The error of a template, without the values that were rendered: these may be those of a Secret.

use std::error::Error as _;
use std::fmt;

use minijinja::{Error, ErrorKind};

/// Why a template cannot be rendered: the file, the line and the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The path of the file, with the folder; empty if it is not about one file.
    file: String,
    /// The line in the file.
    line: Option<usize>,
    cause: String,
}

impl TemplateError {
    pub(super) fn new(file: impl Into<String>, line: Option<usize>, cause: impl Into<String>) -> Self {
        Self { file: file.into(), line, cause: cause.into() }
    }

    /// The error of the engine, in a file of the folder.
    pub(super) fn of_engine(folder: &str, file: &str, error: &Error) -> Self {
        let inner = innermost(error);
        let file = inner.name().unwrap_or(file);
        Self::new(format!("{folder}/{file}"), inner.line(), cause(inner))
    }
}

/// The error in the included file.
fn innermost(error: &Error) -> &Error {
    let wraps = matches!(error.kind(), ErrorKind::BadInclude | ErrorKind::EvalBlock);
    let source = error.source().filter(|_| wraps).and_then(|source| source.downcast_ref::<Error>());
    source.map_or(error, innermost)
}

/// What is wrong. Only texts of the template are quoted, never values.
fn cause(error: &Error) -> String {
    let kind = error.kind();
    match kind {
        ErrorKind::OutOfFuel => "it executes too many instructions; look for a loop over too many items".into(),
        ErrorKind::UndefinedError => match error.detail() {
            Some(detail) => format!("{detail}; pass the value, or write `| default(..)`"),
            None => "a value is undefined; pass the value, or write `| default(..)`".into(),
        },
        ErrorKind::SyntaxError
        | ErrorKind::TooManyArguments
        | ErrorKind::UnknownBlock
        | ErrorKind::UnknownFilter
        | ErrorKind::UnknownFunction
        | ErrorKind::UnknownMethod
        | ErrorKind::UnknownTest => error.detail().map_or_else(|| kind.to_string(), |text| format!("{kind}: {text}")),
        _ => match written(error) {
            Some(text) => format!("`{text}`: {kind}"),
            None => kind.to_string(),
        },
    }
}

/// The text of the template that failed.
fn written(error: &Error) -> Option<&str> {
    let text = error.template_source()?.get(error.range()?)?;
    Some(text).filter(|text| text.len() <= 80 && !text.contains('\n'))
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, cause } = self;
        match line {
            _ if file.is_empty() => f.write_str(cause),
            Some(line) => write!(f, "{file}:{line}: {cause}"),
            None => write!(f, "{file}: {cause}"),
        }
    }
}

impl std::error::Error for TemplateError {}
