//! Expressions over whole objects without a schema, as in match conditions.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::{Key, Map};
use serde_json::Value;

use super::{cost_meter, eval, message, program};

/// Evaluates an expression that must return a bool.
///
/// # Errors
/// The text of the error if the expression does not parse, fails, or returns something else.
pub(crate) fn decide(text: &str, variables: &[(&str, &Value)]) -> Result<bool, String> {
    let expr = program::parsed(text)?;
    let variables: Vec<(String, Cel)> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), untyped(value))).collect();
    match eval::run(&expr, &variables).0 {
        Ok(Cel::Bool(truth)) => Ok(truth),
        Ok(_) => Err("cel expression must evaluate to a bool".to_owned()),
        Err(error) if cost_meter::is_cancelled(&error) => Err(cost_meter::CANCELLED.to_owned()),
        Err(error) => Err(message::failure(&error)),
    }
}

/// Whether an expression reads a variable; one that does not parse reads none.
pub(crate) fn reads(text: &str, variable: &str) -> bool {
    program::parsed(text).is_ok_and(|program| program::uses(&program.expr, variable))
}

/// Converts a value without a schema: field names are not escaped, and texts with a format remain texts.
pub(super) fn untyped(value: &Value) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(truth) => Cel::Bool(*truth),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Cel::Float(number.as_f64().unwrap_or(f64::NAN)), Cel::Int)
        }
        Value::String(text) => Cel::String(Arc::new(text.clone())),
        Value::Array(items) => Cel::List(Arc::new(items.iter().map(untyped).collect())),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (Key::String(Arc::new(name.clone())), untyped(value)));
            Cel::Map(Map { map: Arc::new(fields.collect()) })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_condition_reads_objects_without_a_schema() {
        let (object, old) = (json!({"spec": {"a": 1, "my-field": [true]}}), Value::Null);
        let decided = |text: &str| decide(text, &[("object", &object), ("oldObject", &old)]);
        assert_eq!(decided("object.spec.a == 1 && oldObject == null"), Ok(true));
        assert_eq!(decided("!has(object.spec.b) && object.spec['my-field'][0]"), Ok(true));
        assert_eq!(decided("object.spec.a > 1"), Ok(false));
        assert_eq!(decided("object.spec.b == 1"), Err("no such key: b".to_owned()));
        assert_eq!(decided("oldObject.spec.b == 1"), Err("no such key: spec".to_owned()));
        assert!(decided("object.spec.").is_err_and(|error| error.contains("Syntax error")));
        assert!(decided("object.spec.a").is_err());
    }
}
