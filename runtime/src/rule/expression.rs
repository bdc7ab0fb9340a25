//! The body of a rule, as the attribute reads it. It is printed as CEL when the schema of the kind is known.

use serde_json::Value;

/// An expression. The attribute prints it as a constant.
#[derive(Clone, Copy, Debug)]
pub enum Expression {
    /// `true`
    Bool(bool),
    /// `3`
    Int(i64),
    /// `0.5`
    Float(f64),
    /// `"text"`
    Text(&'static str),
    /// A constant or an enum variant, such as `Tier::Gold`, in its form in JSON.
    Constant(&'static str, fn() -> Result<Value, serde_json::Error>),
    /// `None`
    None,
    /// `Some(..)`
    Some(&'static Self),
    /// A parameter of the rule.
    Parameter(Parameter),
    /// A parameter of a closure, by its number in the rule.
    Bound(u32),
    /// `base.name`
    Field(&'static Self, &'static str),
    /// `!x`
    Not(&'static Self),
    /// `-x`
    Negative(&'static Self),
    /// `a == b`
    Binary(Operator, &'static Self, &'static Self),
    /// `if c { a } else { b }`
    If(&'static Self, &'static Self, &'static Self),
    /// `base.method(argument)`
    Call(Method, &'static Self, &'static [Self]),
    /// `base.is_some_and(|x| ..)`: the closure of an `Option`, with the value without one.
    Held(&'static Self, Bound, &'static Self, &'static Self),
    /// `base.iter().all(|x| ..)`
    Each(Quantifier, Part, &'static Self, [Bound; 2], &'static Self),
}

/// A parameter of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The object or the part of it that is written.
    New,
    /// The stored one.
    Old,
    /// The [`Request`](super::Request).
    Request,
}

/// The parameter of a closure: its number in the rule and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound(pub u32, pub &'static str);

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operators of Rust")]
#[non_exhaustive]
pub enum Operator {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A method of a text, an `Option`, a list or a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the methods of std")]
pub enum Method {
    StartsWith,
    EndsWith,
    Contains,
    ContainsKey,
    Get,
    IsEmpty,
    Len,
    /// `chars().count()`
    CharCount,
    IsSome,
    IsNone,
    UnwrapOr,
    UnwrapOrDefault,
}

/// Whether all or any items fulfil a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the methods of std")]
pub enum Quantifier {
    All,
    Any,
}

/// What an iterator yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the methods of std")]
pub enum Part {
    Items,
    Keys,
    Values,
    /// Pairs of a key and a value.
    Entries,
}

impl Expression {
    /// Calls the function for this expression and all in it, outer ones first.
    pub fn visit(&self, see: &mut dyn FnMut(&Self)) {
        see(self);
        let parts: &[&Self] = match self {
            Self::Some(x) | Self::Field(x, _) | Self::Not(x) | Self::Negative(x) => &[x],
            Self::Binary(_, a, b) | Self::Held(a, _, b, _) | Self::Each(_, _, a, _, b) => &[a, b],
            Self::If(c, a, b) => &[c, a, b],
            Self::Call(_, base, _) => &[base],
            Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text(_)
            | Self::Constant(..)
            | Self::None
            | Self::Parameter(_)
            | Self::Bound(_) => &[],
        };
        parts.iter().for_each(|part| part.visit(see));
        match self {
            Self::Call(_, _, arguments) => arguments.iter().for_each(|part| part.visit(see)),
            Self::Held(_, _, _, otherwise) => otherwise.visit(see),
            _ => {}
        }
    }
}
