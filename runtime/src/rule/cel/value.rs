//! A printed expression: its code, its type, and whether the value may be absent.

use super::code::Code;
use super::error::Problem;
use super::type_::Type;

/// A printed expression.
#[derive(Clone, Debug)]
pub(super) struct Value<'s> {
    /// An error in CEL where the value is absent.
    pub(super) code: Code,
    pub(super) type_: Type<'s>,
    pub(super) presence: Presence,
    /// The field or method that it is from, for errors.
    pub(super) name: String,
}

/// Whether a value may be absent, and the test whether it is there.
#[derive(Clone, Debug)]
pub(super) enum Presence {
    Always,
    /// An `Option`.
    Option(Code),
    /// An `Option`, or a value with a default of Rust: its use decides.
    Unclear(Code),
}

impl<'s> Value<'s> {
    pub(super) fn new(code: Code, type_: Type<'s>) -> Self {
        Self { code, type_, presence: Presence::Always, name: String::new() }
    }

    pub(super) fn bool(code: Code) -> Self {
        Self::new(code, Type::Bool)
    }

    /// The value where it is known to be there.
    pub(super) fn present(self) -> Self {
        Self { presence: Presence::Always, ..self }
    }

    fn subject(&self) -> String {
        if self.name.is_empty() { "this value".to_owned() } else { format!("`{}`", self.name) }
    }

    /// The value if it is no `Option`; one that may be absent gets its default.
    pub(super) fn plain(self) -> Result<Self, Problem> {
        if let Type::Closed(why) = self.type_ {
            return Err(Problem::no_form(format!("{} {why}", self.subject())));
        }
        match (&self.presence, self.type_.empty()) {
            (Presence::Always, _) => Ok(self),
            (Presence::Unclear(test), Some(empty)) => {
                let code = test.choose(&self.code, &empty);
                Ok(Self { code, presence: Presence::Always, ..self })
            }
            (Presence::Unclear(_), None) => {
                let help = "make it an `Option`, or give it a default that is not skipped when it is serialized";
                Err(Problem::new(format!("{} may be absent, and has no default in the schema", self.subject()), help))
            }
            (Presence::Option(_), _) => {
                Err(Problem::no_form(format!("{} is an `Option`, and this needs its value", self.subject())))
            }
        }
    }

    /// The test whether the value is there.
    pub(super) fn test(&self) -> Code {
        match &self.presence {
            Presence::Always => Code::bool(true),
            Presence::Option(test) | Presence::Unclear(test) => test.clone(),
        }
    }

    /// The test and the value of an `Option`.
    pub(super) fn option(self) -> Result<(Code, Self), Problem> {
        match &self.presence {
            Presence::Always => {
                let help = "the property is required or has a default; use the value itself";
                Err(Problem::new(format!("{} is no `Option` in the schema", self.subject()), help))
            }
            Presence::Option(test) | Presence::Unclear(test) => Ok((test.clone(), self.present())),
        }
    }

    /// The error of an operation that the type does not have.
    pub(super) fn lacks(&self, what: &str) -> Problem {
        Problem::no_form(format!("{} is {} in the schema, {what}", self.subject(), self.type_.word()))
    }
}
