//! Methods of texts, options, lists and maps.

use super::code::Code;
use super::dialect::Dialect;
use super::equality::is_member;
use super::error::Problem;
use super::field;
use super::type_::{self, Type};
use super::value::Value;
use crate::rule::expression::Method;

/// `base.method(argument)`
pub(super) fn call<'s>(
    method: Method,
    base: Value<'s>,
    argument: Option<Value<'s>>,
    dialect: Dialect,
) -> Result<Value<'s>, Problem> {
    let missing = || Problem::no_form("a method lacks its argument");
    match method {
        Method::IsSome => Ok(Value::bool(base.option()?.0)),
        Method::IsNone => Ok(Value::bool(base.option()?.0.not())),
        Method::UnwrapOr => or(base, argument.ok_or_else(missing)?),
        Method::UnwrapOrDefault => {
            let empty = base.type_.empty().ok_or_else(|| base.lacks("whose default has no form in CEL"))?;
            let type_ = base.type_;
            or(base, Value::new(empty, type_))
        }
        Method::IsEmpty => is_empty(&base.plain()?),
        Method::Len | Method::CharCount => size(method, &base.plain()?),
        Method::StartsWith => text("startsWith", base, argument.ok_or_else(missing)?),
        Method::EndsWith => text("endsWith", base, argument.ok_or_else(missing)?),
        Method::Contains => contains(base.plain()?, argument.ok_or_else(missing)?, dialect),
        Method::ContainsKey => Ok(Value::bool(entry(base, argument.ok_or_else(missing)?)?.0)),
        Method::Get => {
            let (test, code, base) = entry(base, argument.ok_or_else(missing)?)?;
            let Type::Map(node) = base.type_ else { return Err(base.lacks("so it has no keys")) };
            let value = type_::member(node).map(|inner| field::value(&code, inner, Some(test), &base.name, dialect));
            value.ok_or_else(|| base.lacks("so it has no keys"))
        }
    }
}

/// `base.unwrap_or(otherwise)`
fn or<'s>(base: Value<'s>, otherwise: Value<'s>) -> Result<Value<'s>, Problem> {
    let (test, base) = base.option()?;
    let (base, otherwise) = (base.plain()?, otherwise.plain()?);
    if !base.type_.resembles(otherwise.type_) {
        return Err(base.lacks(&format!("and its other value is {}", otherwise.type_.word())));
    }
    Ok(Value::new(test.choose(&base.code, &otherwise.code), base.type_))
}

fn is_empty<'s>(base: &Value<'s>) -> Result<Value<'s>, Problem> {
    match base.type_ {
        Type::Text(_) => Ok(Value::bool(base.code.relation("==", &Code::text("")))),
        Type::List(_) | Type::Map(_) => Ok(Value::bool(base.code.called("size").relation("==", &Code::primary("0")))),
        _ => Err(base.lacks("so it is never empty")),
    }
}

/// The length of a text is counted in bytes by Rust, and in characters by CEL.
fn size<'s>(method: Method, base: &Value<'s>) -> Result<Value<'s>, Problem> {
    let code = match (base.type_, method) {
        (Type::Text(_), Method::Len) => base.code.called("bytes").called("size"),
        (Type::Text(_), _) | (Type::List(_) | Type::Map(_), Method::Len) => base.code.called("size"),
        _ => return Err(base.lacks("so it has no length")),
    };
    Ok(Value::new(code, Type::Int))
}

fn text<'s>(name: &str, base: Value<'s>, argument: Value<'s>) -> Result<Value<'s>, Problem> {
    let (base, argument) = (base.plain()?, argument.plain()?);
    match (base.type_, argument.type_) {
        (Type::Text(_), Type::Text(_)) => Ok(Value::bool(base.code.method(name, &argument.code))),
        _ => Err(base.lacks(&format!("and `{name}` compares texts"))),
    }
}

fn contains<'s>(base: Value<'s>, argument: Value<'s>, dialect: Dialect) -> Result<Value<'s>, Problem> {
    match base.type_ {
        Type::List(_) => Ok(Value::bool(is_member(argument, &base, dialect)?)),
        _ => text("contains", base, argument),
    }
}

/// The test for a key of a map, its value, and the map.
fn entry<'s>(base: Value<'s>, key: Value<'s>) -> Result<(Code, Code, Value<'s>), Problem> {
    let (base, key) = (base.plain()?, key.plain()?);
    match (base.type_, key.type_) {
        (Type::Map(_), Type::Text(_)) => Ok((key.code.relation("in", &base.code), base.code.index(&key.code), base)),
        (Type::Map(_), _) => Err(key.lacks("and the keys of a map are texts")),
        _ => Err(base.lacks("so it has no keys")),
    }
}
