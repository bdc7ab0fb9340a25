//! The error messages of failed rules.

use kube_cel::cel::{ExecutionError, Value as Cel};

use super::{cost_meter, eval, program};
use crate::schema::Rule;

/// Maximum length in bytes of a message from a `messageExpression`.
const LONGEST: usize = 5 * 1024;

/// The evaluation of a message expression exceeded the cost limit.
pub(super) struct TooExpensive;

/// The message of a failed rule: the result of its `messageExpression` if that is a single line, otherwise its `message` or its text.
///
/// The cost of the expression is added to `spent`.
///
/// # Errors
/// If the expression exceeds the cost limit.
pub(super) fn of(rule: &Rule, variables: &[(String, Cel)], spent: &mut u64) -> Result<String, TooExpensive> {
    let made = made(rule, variables, spent)?;
    Ok(made.unwrap_or_else(|| match rule.message.trim() {
        "" => format!("failed rule: {}", rule.rule.trim()),
        message => message.to_owned(),
    }))
}

fn made(rule: &Rule, variables: &[(String, Cel)], spent: &mut u64) -> Result<Option<String>, TooExpensive> {
    if rule.message_expression.trim().is_empty() {
        return Ok(None);
    }
    let Ok(expr) = program::parsed(&rule.message_expression) else { return Ok(None) };
    let (given, cost) = eval::run(&expr, variables);
    *spent += cost;
    match given {
        Ok(Cel::String(text)) => {
            let text = text.trim();
            Ok((!text.is_empty() && text.len() <= LONGEST && !text.contains('\n')).then(|| text.to_owned()))
        }
        Err(error) if cost_meter::is_cancelled(&error) => Err(TooExpensive),
        _ => Ok(None),
    }
}

/// An evaluation error in the wording of an API server.
pub(super) fn failure(error: &ExecutionError) -> String {
    match error {
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::IndexOutOfBounds(index) => match index {
            Cel::Int(index) => format!("index out of bounds: {index}"),
            _ => "index out of bounds".to_owned(),
        },
        ExecutionError::Overflow(..) => "integer overflow".to_owned(),
        ExecutionError::NoSuchOverload
        | ExecutionError::UnsupportedBinaryOperator(..)
        | ExecutionError::UnsupportedUnaryOperator(..)
        | ExecutionError::ValuesNotComparable(..) => "no such overload".to_owned(),
        ExecutionError::FunctionError { function, message } => match converted(function) {
            Some(kind) => format!("type conversion error from 'string' to '{kind}'"),
            None => message.clone(),
        },
        other => other.to_string(),
    }
}

/// The result type of a conversion function with this name.
fn converted(function: &str) -> Option<&str> {
    Some(match function {
        "duration" => "google.protobuf.Duration",
        "timestamp" => "google.protobuf.Timestamp",
        "bool" | "double" | "int" | "uint" => function,
        _ => return None,
    })
}
