//! The types of the variables that an expression of a policy can read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check::check;
use super::eval::COMPOSED;
use super::found::Found;
use super::program;
use super::types::{Sized, Type};

/// The type that an expression must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    Bool,
    Text,
    TextOrNull,
}

/// The variables of the expressions of a policy.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    own: Vec<(String, Sized)>,
    /// The composed variables, which are fields of `variables`.
    composed: BTreeMap<String, Sized>,
}

impl Declared {
    /// Declares the variables of every policy; `params` only if the policy has a kind of parameters.
    pub(crate) fn new(has_params: bool) -> Self {
        let mut own = vec![
            ("object", Type::Dyn),
            ("oldObject", Type::Dyn),
            ("request", request()),
            ("namespaceObject", namespace()),
        ];
        if has_params {
            own.push(("params", Type::Dyn));
        }
        let own = own.into_iter().map(|(name, kind)| (name.to_owned(), Sized::unknown(kind)));
        Declared { own: own.collect(), composed: BTreeMap::new() }
    }

    /// Declares a composed variable, which later expressions can read.
    ///
    /// # Errors
    /// If its expression does not compile. The variable is declared all the same, with an unknown type.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> Result<(), String> {
        let found = self.compiled(text);
        let kind = found.as_ref().map_or(Type::Dyn, |found| simple(&found.kind));
        self.composed.insert(name.to_owned(), Sized::unknown(kind));
        found.map(drop)
    }

    /// Checks that an expression compiles and has the required type.
    ///
    /// # Errors
    /// The errors as an API server prints them.
    pub(crate) fn check(&self, text: &str, returns: Returns) -> Result<(), String> {
        let found = self.compiled(text)?.kind;
        match (returns, &found) {
            (Returns::Bool, Type::Bool)
            | (Returns::Text | Returns::TextOrNull, Type::Text)
            | (Returns::TextOrNull, Type::Null) => Ok(()),
            (Returns::Bool, found) => Err(format!("must evaluate to bool but got {found}")),
            (Returns::Text, found) => Err(format!("must evaluate to string but got {found}")),
            (Returns::TextOrNull, found) => Err(format!("must evaluate to one of [string null_type] but got {found}")),
        }
    }

    fn compiled(&self, text: &str) -> Result<Found, String> {
        let failed = |why: String| format!("compilation failed: {why}");
        let program = program::parsed(text).map_err(failed)?;
        let mut variables = self.own.clone();
        let fields = Type::Object(Arc::new(self.composed.clone()));
        variables.push((COMPOSED.to_owned(), Sized::unknown(fields)));
        check(&program.expr, variables).map_err(|mistakes| failed(program::placed(text, &mistakes)))
    }
}

/// The type of a composed variable: objects and optional values have an unknown type.
fn simple(kind: &Type) -> Type {
    let inner = |sized: &Sized| Box::new(Sized::unknown(simple(&sized.kind)));
    match kind {
        Type::List(item) => Type::List(inner(item)),
        Type::Map(key, value) => Type::Map(inner(key), inner(value)),
        Type::Null
        | Type::Bool
        | Type::Int
        | Type::Uint
        | Type::Double
        | Type::Text
        | Type::Bytes
        | Type::Timestamp
        | Type::Duration => kind.clone(),
        _ => Type::Dyn,
    }
}

fn object<const N: usize>(fields: [(&str, Type); N]) -> Type {
    let fields = fields.into_iter().map(|(name, kind)| (name.to_owned(), Sized::unknown(kind)));
    Type::Object(Arc::new(fields.collect()))
}

fn texts() -> Type {
    Type::List(Box::new(Sized::unknown(Type::Text)))
}

fn by_name(value: Type) -> Type {
    Type::Map(Box::new(Sized::unknown(Type::Text)), Box::new(Sized::unknown(value)))
}

fn request() -> Type {
    let kind = || object([("group", Type::Text), ("version", Type::Text), ("kind", Type::Text)]);
    let resource = || object([("group", Type::Text), ("version", Type::Text), ("resource", Type::Text)]);
    let user =
        object([("username", Type::Text), ("uid", Type::Text), ("groups", texts()), ("extra", by_name(texts()))]);
    object([
        ("kind", kind()),
        ("resource", resource()),
        ("subResource", Type::Text),
        ("requestKind", kind()),
        ("requestResource", resource()),
        ("requestSubResource", Type::Text),
        ("name", Type::Text),
        ("namespace", Type::Text),
        ("operation", Type::Text),
        ("userInfo", user),
        ("dryRun", Type::Bool),
        ("options", Type::Dyn),
    ])
}

fn namespace() -> Type {
    let metadata = object([
        ("name", Type::Text),
        ("generateName", Type::Text),
        ("namespace", Type::Text),
        ("labels", by_name(Type::Text)),
        ("annotations", by_name(Type::Text)),
        ("UID", Type::Text),
        ("creationTimestamp", Type::Timestamp),
        ("deletionGracePeriodSeconds", Type::Int),
        ("deletionTimestamp", Type::Timestamp),
        ("generation", Type::Int),
        ("resourceVersion", Type::Text),
        ("finalizers", texts()),
    ]);
    let condition = object([
        ("status", Type::Text),
        ("type", Type::Text),
        ("lastTransitionTime", Type::Timestamp),
        ("message", Type::Text),
        ("reason", Type::Text),
    ]);
    let conditions = Type::List(Box::new(Sized::unknown(condition)));
    object([
        ("metadata", metadata),
        ("spec", object([("finalizers", texts())])),
        ("status", object([("conditions", conditions), ("phase", Type::Text)])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_checked_against_its_variables() {
        let mut declared = Declared::new(false);
        let checked = |declared: &Declared, text: &str| declared.check(text, Returns::Bool).err().unwrap_or_default();
        assert_eq!(checked(&declared, "object.spec.a == 1 && request.namespace == namespaceObject.metadata.name"), "");
        assert_eq!(checked(&declared, "object.spec.a"), "must evaluate to bool but got dyn");
        for wrong in ["params == null", "request.nope == 1", "variables.b == 1", "object.spec."] {
            assert!(checked(&declared, wrong).starts_with("compilation failed: ERROR: <input>:1:"), "{wrong}");
        }
        assert_eq!(declared.add("b", "size(object.spec.list)"), Ok(()));
        assert!(declared.add("c", "variables.d").is_err_and(|error| error.contains("undefined field 'd'")));
        assert_eq!(checked(&declared, "variables.b > 1 && variables.c == 'any'"), "");
        assert!(checked(&declared, "variables.b == 'a'").contains("applied to '(int, string)'"));
        assert_eq!(checked(&Declared::new(true), "params.a == 1"), "");
    }
}
