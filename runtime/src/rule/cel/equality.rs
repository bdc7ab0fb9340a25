//! Equality: where that of Rust and that of CEL agree, and how they are made to agree.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::code::Code;
use super::dialect::Dialect;
use super::error::Problem;
use super::field;
use super::type_::{self, Type};
use super::value::{Presence, Value};

/// `left == right`
pub(super) fn equal<'s>(left: Value<'s>, right: Value<'s>, dialect: Dialect) -> Result<Code, Problem> {
    if !is_compared_as_option(&left, &right) {
        return same(left.plain()?, &right.plain()?, dialect);
    }
    let (has_left, has_right) = (left.test(), right.test());
    if matches!(left.type_, Type::Nothing) {
        return Ok(has_right.not());
    }
    if matches!(right.type_, Type::Nothing) {
        return Ok(has_left.not());
    }
    let is_same = same(left.present(), &right.present(), dialect)?;
    if has_left.is("true") {
        return Ok(has_right.and(&is_same));
    }
    if has_right.is("true") {
        return Ok(has_left.and(&is_same));
    }
    Ok(has_left.choose(&has_right.and(&is_same), &has_right.not()))
}

/// Whether the operands are options. Of two values about which the schema does not tell, a list and a map have the default of Rust: they are
/// rarely an `Option`, and a text rarely has a default that is skipped.
fn is_compared_as_option(left: &Value<'_>, right: &Value<'_>) -> bool {
    use Presence::{Always, Option, Unclear};
    match (&left.presence, &right.presence) {
        (Option(_), _) | (_, Option(_)) => true,
        (Always, _) | (_, Always) => false,
        (Unclear(_), Unclear(_)) => !matches!(left.type_, Type::List(_) | Type::Map(_)),
    }
}

/// Equality of two values that are there.
fn same<'s>(left: Value<'s>, right: &Value<'s>, dialect: Dialect) -> Result<Code, Problem> {
    let direct = left.code.relation("==", &right.code);
    match (left.type_, right.type_) {
        (Type::Bool, Type::Bool) if right.code.is("true") => Ok(left.code),
        (Type::Bool, Type::Bool) if right.code.is("false") => Ok(left.code.not()),
        (Type::Bool, Type::Bool)
        | (Type::Int, Type::Int)
        | (Type::Float, Type::Float)
        | (Type::Text(_), Type::Text(_))
        | (Type::IntOrString, Type::IntOrString) => Ok(direct),
        (Type::Formatted(one), Type::Formatted(other)) if one == other => Ok(direct),
        (Type::List(node), Type::List(_)) => same_lists(&left, right, node, dialect),
        (Type::Map(node), Type::Map(_)) => {
            exact_parts(&left, type_::member(node), dialect)?;
            Ok(direct)
        }
        (Type::Object(node), Type::Object(_)) => same_objects(&left, right, node, dialect),
        _ => Err(left.lacks(&format!("and is compared with {}", right.type_.word()))),
    }
}

fn same_lists(left: &Value<'_>, right: &Value<'_>, node: &JSONSchemaProps, dialect: Dialect) -> Result<Code, Problem> {
    exact_parts(left, type_::item(node), dialect)?;
    let direct = left.code.relation("==", &right.code);
    match (node.x_kubernetes_list_type.as_deref(), dialect) {
        // The lists of a policy have an order, the sets of a schema have none.
        (Some("set"), Dialect::Policy) => {
            let size = |value: &Value<'_>| value.code.called("size");
            let all = format!("all(item, item in {})", right.code.clone().into_text());
            Ok(size(left).relation("==", &size(right)).and(&left.code.member(&all)))
        }
        (Some("map"), _) => Err(left.lacks("whose items have keys: CEL compares it without the order of its items")),
        _ => Ok(direct),
    }
}

/// Compares the properties one by one, so that an absent field equals its default.
fn same_objects<'s>(
    left: &Value<'s>,
    right: &Value<'s>,
    node: &'s JSONSchemaProps,
    dialect: Dialect,
) -> Result<Code, Problem> {
    if node.x_kubernetes_preserve_unknown_fields == Some(true) || node.properties.is_none() {
        return Err(left.lacks("with fields that the schema does not list; compare single fields"));
    }
    let mut all = Code::bool(true);
    for (name, inner) in node.properties.iter().flatten() {
        let side = |base: &Value<'s>| field::member(&base.code, node, name, inner, dialect);
        all = all.and(&equal(side(left)?, side(right)?, dialect)?);
    }
    Ok(all)
}

/// The items of a list and the values of a map are compared as a whole.
fn exact_parts(whole: &Value<'_>, part: Option<&JSONSchemaProps>, dialect: Dialect) -> Result<(), Problem> {
    match part {
        Some(part) if is_exact(part, dialect) => Ok(()),
        _ => Err(whole.lacks(
            "whose items have optional fields: CEL does not compare an absent one with null or a default as Rust does",
        )),
    }
}

/// Whether equal values of Rust have the same JSON.
fn is_exact(node: &JSONSchemaProps, dialect: Dialect) -> bool {
    if type_::is_nullable(node) {
        return false;
    }
    match type_::of(node) {
        Type::Bool | Type::Int | Type::Float | Type::Text(_) | Type::IntOrString => true,
        Type::Formatted(_) => dialect == Dialect::Schema,
        Type::List(list) => {
            list.x_kubernetes_list_type.as_deref().is_none_or(|type_| type_ == "atomic")
                && type_::item(list).is_some_and(|item| is_exact(item, dialect))
        }
        Type::Map(map) => type_::member(map).is_some_and(|value| is_exact(value, dialect)),
        Type::Object(object) => {
            let is_there = |name: &String, inner: &JSONSchemaProps| {
                inner.default.is_some() || object.required.iter().flatten().any(|required| required == name)
            };
            let mut properties = object.properties.iter().flatten();
            object.x_kubernetes_preserve_unknown_fields != Some(true)
                && object.properties.is_some()
                && properties.all(|(name, inner)| is_there(name, inner) && is_exact(inner, dialect))
        }
        Type::Nothing | Type::Closed(_) => false,
    }
}

/// `item in list`
pub(super) fn is_member<'s>(item: Value<'s>, list: &Value<'s>, dialect: Dialect) -> Result<Code, Problem> {
    let Type::List(node) = list.type_ else { return Err(list.lacks("so it has no items")) };
    exact_parts(list, type_::item(node), dialect)?;
    let item = item.plain()?;
    let items = type_::item(node).map_or(Type::Nothing, type_::of);
    let fits = matches!(
        (item.type_, items),
        (Type::Bool, Type::Bool)
            | (Type::Int, Type::Int)
            | (Type::Float, Type::Float)
            | (Type::Text(_), Type::Text(_))
            | (Type::Object(_), Type::Object(_))
    );
    match fits {
        true => Ok(item.code.relation("in", &list.code)),
        false => Err(item.lacks(&format!("and is looked up in a list of {}", items.word()))),
    }
}
