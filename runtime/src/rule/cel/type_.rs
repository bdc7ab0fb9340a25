//! The types of values, by their schema.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

use super::code::Code;
use super::dialect::Dialect;

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Type<'s> {
    Bool,
    Int,
    Float,
    /// With `true` if the schema has a list of the values.
    Text(bool),
    /// A text that a schema reads as a time or as bytes.
    Formatted(Format),
    IntOrString,
    List(&'s JSONSchemaProps),
    Map(&'s JSONSchemaProps),
    Object(&'s JSONSchemaProps),
    /// The type of the value in `None`.
    Nothing,
    /// A value that rules cannot read, and why.
    Closed(&'static str),
}

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Byte,
    Date,
    DateTime,
    Duration,
}

/// The type of a schema.
pub(super) fn of(node: &JSONSchemaProps) -> Type<'_> {
    if node.x_kubernetes_int_or_string == Some(true) {
        return Type::IntOrString;
    }
    match node.type_.as_deref() {
        Some("boolean") => Type::Bool,
        Some("integer") => Type::Int,
        Some("number") if node.format.as_deref() == Some("float") => {
            Type::Closed("is an f32, which CEL reads as an f64")
        }
        Some("number") => Type::Float,
        Some("string") => match node.format.as_deref() {
            Some("byte") => Type::Formatted(Format::Byte),
            Some("date") => Type::Formatted(Format::Date),
            Some("date-time") => Type::Formatted(Format::DateTime),
            Some("duration") => Type::Formatted(Format::Duration),
            _ => Type::Text(node.enum_.is_some()),
        },
        Some("array") if item(node).is_some() => Type::List(node),
        Some("object") if member(node).is_some() => Type::Map(node),
        Some("object") => Type::Object(node),
        _ => Type::Closed("has no type in the schema"),
    }
}

/// The schema of the items of a list.
pub(super) fn item(node: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match &node.items {
        Some(JSONSchemaPropsOrArray::Schema(item)) => Some(item),
        _ => None,
    }
}

/// The schema of the values of a map.
pub(super) fn member(node: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match &node.additional_properties {
        Some(JSONSchemaPropsOrBool::Schema(value)) => Some(value),
        _ => None,
    }
}

/// Whether null stands for an absent value.
pub(super) fn is_nullable(node: &JSONSchemaProps) -> bool {
    node.nullable == Some(true)
}

impl Type<'_> {
    /// What an absent field with a default of Rust is.
    pub(super) fn empty(self) -> Option<Code> {
        Some(Code::primary(match self {
            Self::Bool => "false",
            Self::Int => "0",
            Self::Float => "0.0",
            Self::Text(_) => "''",
            Self::List(_) => "[]",
            Self::Map(_) => "{}",
            Self::Formatted(_) | Self::IntOrString | Self::Object(_) | Self::Nothing | Self::Closed(_) => return None,
        }))
    }

    /// Whether both can be the value of one expression.
    pub(super) fn resembles(self, other: Self) -> bool {
        match (self, other) {
            (Self::Formatted(one), Self::Formatted(other)) => one == other,
            (Self::Nothing, _) | (_, Self::Nothing) => true,
            (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
        }
    }

    /// The value with its type, where a policy has that of JSON.
    pub(super) fn read(self, code: &Code, dialect: Dialect) -> Code {
        match (self, dialect) {
            (Self::Float, Dialect::Policy) => code.called("double"),
            (Self::Formatted(format), Dialect::Policy) => match format {
                Format::Byte => code.called("base64.decode"),
                Format::Date => Code::primary(format!("timestamp({} + 'T00:00:00Z')", code.clone().into_text())),
                Format::DateTime => code.called("timestamp"),
                Format::Duration => code.called("duration"),
            },
            _ => code.clone(),
        }
    }

    /// The word for errors.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Bool => "a bool",
            Self::Int => "an integer",
            Self::Float => "a float",
            Self::Text(_) => "a text",
            Self::Formatted(Format::Byte) => "bytes",
            Self::Formatted(Format::Date | Format::DateTime) => "a time",
            Self::Formatted(Format::Duration) => "a duration",
            Self::IntOrString => "a number or a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Object(_) => "an object",
            Self::Nothing => "nothing",
            Self::Closed(_) => "a value that rules cannot read",
        }
    }
}
