//! Fields of objects, and the presence of values.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::code::Code;
use super::dialect::Dialect;
use super::error::Problem;
use super::names;
use super::schema;
use super::type_::{self, Type};
use super::value::{Presence, Value};

/// `base.name`
pub(super) fn field<'s>(base: Value<'s>, name: &str, dialect: Dialect) -> Result<Value<'s>, Problem> {
    let base = base.plain()?;
    let Type::Object(node) = base.type_ else {
        return Err(base.lacks(&format!("so it has no field `{name}`")));
    };
    let (property, inner) = names::find(node, name)?;
    member(&base.code, node, property, inner, dialect)
}

/// The property of an object.
pub(super) fn member<'s>(
    base: &Code,
    node: &JSONSchemaProps,
    property: &str,
    inner: &'s JSONSchemaProps,
    dialect: Dialect,
) -> Result<Value<'s>, Problem> {
    // The field of our `Request` has a shorter name than that of Kubernetes.
    let on_wire = if std::ptr::eq(node, schema::request()) && property == "user" { "userInfo" } else { property };
    let (code, test) = dialect.property(base, on_wire)?;
    let is_required = node.required.iter().flatten().any(|required| required == property);
    let test = (!is_required && inner.default.is_none()).then_some(test);
    Ok(value(&code, inner, test, property, dialect))
}

/// A value with this schema; `test` is whether it is there, if it may be absent.
pub(super) fn value<'s>(
    code: &Code,
    node: &'s JSONSchemaProps,
    test: Option<Code>,
    name: &str,
    dialect: Dialect,
) -> Value<'s> {
    let type_ = type_::of(node);
    let presence = match (test, type_::is_nullable(node)) {
        (None, false) => Presence::Always,
        (Some(test), false) => Presence::Unclear(test),
        (test, true) => {
            let not_null = dialect.is_not_null(code);
            Presence::Option(test.map_or_else(|| not_null.clone(), |test| test.and(&not_null)))
        }
    };
    Value { code: type_.read(code, dialect), type_, presence, name: name.to_owned() }
}
