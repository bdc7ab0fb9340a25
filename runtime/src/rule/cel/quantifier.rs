//! `iter().all(..)` and `iter().any(..)` of lists and maps.

use super::code::Code;
use super::dialect::Dialect;
use super::error::Problem;
use super::field;
use super::type_::{self, Type};
use super::value::Value;
use crate::rule::expression::{Part, Quantifier};

/// The parameters of a closure over the items of `base`, where CEL calls its variable `variable`.
pub(super) fn parameters<'s>(
    base: &Value<'s>,
    part: Part,
    variable: &str,
    dialect: Dialect,
) -> Result<[Value<'s>; 2], Problem> {
    let code = Code::primary(variable);
    match (base.type_, part) {
        (Type::List(node), Part::Items) => {
            let item = type_::item(node).map(|item| field::value(&code, item, None, variable, dialect));
            let item = item.ok_or_else(|| base.lacks("without items"))?;
            Ok([item.clone(), item])
        }
        (Type::Map(node), Part::Keys | Part::Values | Part::Entries) => {
            let key = Value::new(code.clone(), Type::Text(false));
            let value = type_::member(node)
                .map(|inner| field::value(&base.code.index(&code), inner, None, variable, dialect))
                .ok_or_else(|| base.lacks("without values"))?;
            Ok(match part {
                Part::Keys => [key.clone(), key],
                Part::Values => [value.clone(), value],
                Part::Items | Part::Entries => [key, value],
            })
        }
        (Type::Map(_), Part::Items) => {
            Err(Problem::new("the closure takes the pairs of a map as one value", "write `|(key, value)|`"))
        }
        _ => Err(base.lacks("so it has no items")),
    }
}

/// `base.all(variable, body)`
pub(super) fn fold(base: &Code, quantifier: Quantifier, variable: &str, body: Code) -> Code {
    let name = match quantifier {
        Quantifier::All => "all",
        Quantifier::Any => "exists",
    };
    base.member(&format!("{name}({variable}, {})", body.into_text()))
}
