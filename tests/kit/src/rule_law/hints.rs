//! The literals and fields of a rule: values close to them decide what it returns.

use evenkeel::rules::Declared;
use evenkeel::rules::expression::Expression;
use serde_json::Value;

use crate::schema::arbitrary::{Hints, letters};

/// The literals, constants and fields in a rule.
pub(super) fn of(declared: &Declared) -> Hints {
    let mut hints = Hints { properties: declared.at.iter().map(|name| letters(name)).collect(), ..Hints::default() };
    declared.expression.visit(&mut |part| match part {
        Expression::Int(value) => hints.integers.push(*value),
        Expression::Float(value) => hints.floats.push(*value),
        Expression::Field(_, name) => hints.properties.push(letters(name)),
        Expression::Text(value) => hints.texts.push((*value).to_owned()),
        Expression::Constant(_, value) => match value() {
            Ok(Value::String(text)) => hints.texts.push(text),
            Ok(Value::Number(number)) => {
                hints.integers.extend(number.as_i64());
                hints.floats.extend(number.as_f64());
            }
            _ => {}
        },
        _ => {}
    });
    hints
}
