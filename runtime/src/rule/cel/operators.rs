//! Operators with two operands.

use super::code::{Code, Level};
use super::dialect::Dialect;
use super::equality::equal;
use super::error::Problem;
use super::type_::{Format, Type};
use super::value::Value;
use crate::rule::expression::Operator;

/// `left operator right`
pub(super) fn binary<'s>(
    operator: Operator,
    left: Value<'s>,
    right: Value<'s>,
    dialect: Dialect,
) -> Result<Value<'s>, Problem> {
    Ok(match operator {
        Operator::And => Value::bool(left.plain()?.code.and(&right.plain()?.code)),
        Operator::Or => Value::bool(left.plain()?.code.or(&right.plain()?.code)),
        Operator::Equal => Value::bool(equal(left, right, dialect)?),
        Operator::NotEqual => Value::bool(unequal(left, right, dialect)?),
        Operator::Less => order("<", left, right)?,
        Operator::LessOrEqual => order("<=", left, right)?,
        Operator::Greater => order(">", left, right)?,
        Operator::GreaterOrEqual => order(">=", left, right)?,
        Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
            calculate(operator, &left.plain()?, &right.plain()?)?
        }
    })
}

fn unequal<'s>(left: Value<'s>, right: Value<'s>, dialect: Dialect) -> Result<Code, Problem> {
    let sides = (left.code.clone(), right.code.clone());
    let is_equal = equal(left, right, dialect)?;
    // The usual form of a plain comparison.
    Ok(match is_equal == sides.0.relation("==", &sides.1) {
        true => sides.0.relation("!=", &sides.1),
        false => is_equal.not(),
    })
}

fn order<'s>(operator: &str, left: Value<'s>, right: Value<'s>) -> Result<Value<'s>, Problem> {
    let (left, right) = (left.plain()?, right.plain()?);
    match (left.type_, right.type_) {
        (Type::Int, Type::Int) | (Type::Float, Type::Float) | (Type::Text(false), Type::Text(false)) => {}
        (Type::Formatted(one), Type::Formatted(other)) if one == other && one != Format::Byte => {}
        (Type::Text(_), Type::Text(_)) => {
            return Err(left.lacks("with a list of values: Rust orders the variants, and CEL the texts"));
        }
        _ => return Err(left.lacks(&format!("and has no order with {}", right.type_.word()))),
    }
    Ok(Value::bool(left.code.relation(operator, &right.code)))
}

fn calculate<'s>(operator: Operator, left: &Value<'s>, right: &Value<'s>) -> Result<Value<'s>, Problem> {
    let (sign, level) = match operator {
        Operator::Add => ("+", Level::Sum),
        Operator::Subtract => ("-", Level::Sum),
        Operator::Multiply => ("*", Level::Product),
        Operator::Divide => ("/", Level::Product),
        _ => ("%", Level::Product),
    };
    match (left.type_, right.type_, operator) {
        (Type::Int, Type::Int, _) | (Type::Text(_), Type::Text(_), Operator::Add) => {}
        // CEL refuses to compare the result of 0.0 / 0.0, and has no remainder of floats.
        (Type::Float, Type::Float, Operator::Divide | Operator::Remainder) => {
            return Err(left.lacks(&format!("and CEL has another `{sign}` for floats than Rust")));
        }
        (Type::Float, Type::Float, _) => {}
        _ => return Err(left.lacks(&format!("and has no `{sign}` with {}", right.type_.word()))),
    }
    let type_ = if let Type::Text(_) = left.type_ { Type::Text(false) } else { left.type_ };
    Ok(Value::new(left.code.joined(sign, &right.code, level), type_))
}
