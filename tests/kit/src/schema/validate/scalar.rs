//! Validation of strings and numbers.

use serde_json::{Number, Value};

use super::super::cause::{Cause, Causes};
use super::super::structural::{Bound, Kind, Rules};

/// Checks the length in characters, although the message says bytes. Only the first violation is reported.
pub(super) fn check_text(text: &str, rules: &Rules, at: &str, causes: &mut Causes) {
    let length = text.chars().count() as u64;
    if let Some(max) = rules.length.max.filter(|max| length > *max) {
        causes.push(Cause::too_long(at, max));
    } else if let Some(min) = rules.length.min.filter(|min| length < *min) {
        let rule = format_args!("{at} in body should be at least {min} chars long");
        causes.push(Cause::invalid(at, Value::from(text), rule));
    } else if let Some(pattern) = rules.pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
        let rule = format_args!("{at} in body should match '{}'", pattern.as_str());
        causes.push(Cause::invalid(at, Value::from(text), rule));
    }
}

pub(super) fn check_number(number: &Number, kind: Kind, rules: &Rules, at: &str, causes: &mut Causes) {
    if let Some(text) = misfit(number, kind, rules.format.as_deref()) {
        causes.push(Cause::nowhere(format_args!("Checked value must be of type {text} in {at}")));
        return;
    }
    if let Some(multiple) = rules.multiple.as_ref().filter(|multiple| !is_multiple(number, multiple)) {
        causes.push(Cause::invalid(
            at,
            number,
            format_args!("{at} in body should be a multiple of {}", shown(multiple)),
        ));
    }
    if let Some(bound) = rules.maximum.as_ref().filter(|bound| !is_within(number, bound, Direction::Below)) {
        let relation = if bound.exclusive { "less than" } else { "less than or equal to" };
        causes.push(Cause::invalid(
            at,
            number,
            format_args!("{at} in body should be {relation} {}", shown(&bound.limit)),
        ));
    }
    if let Some(bound) = rules.minimum.as_ref().filter(|bound| !is_within(number, bound, Direction::Above)) {
        let relation = if bound.exclusive { "greater than" } else { "greater than or equal to" };
        causes.push(Cause::invalid(
            at,
            number,
            format_args!("{at} in body should be {relation} {}", shown(&bound.limit)),
        ));
    }
}

/// The expected type if the number is outside the range of its format.
fn misfit(number: &Number, kind: Kind, format: Option<&str>) -> Option<&'static str> {
    let whole = number.as_i64().or_else(|| whole_float(number));
    match (kind, format) {
        (Kind::Integer | Kind::IntOrString, Some("int32"))
            if whole.is_none_or(|whole| i32::try_from(whole).is_err()) =>
        {
            Some("integer with format int32")
        }
        (Kind::Integer, Some("int64")) if whole.is_none() => Some("integer with format int64"),
        (Kind::Integer, None) if whole.is_none() => Some("integer (default format)"),
        (Kind::Number, Some("float")) if number.as_f64().is_none_or(|float| float.abs() > f64::from(f32::MAX)) => {
            Some("number with format float")
        }
        _ => None,
    }
}

/// Whether an `i64` holds the number without loss.
pub(super) fn is_exact(number: &Number) -> bool {
    number.as_i64().is_some() || whole_float(number).is_some()
}

/// A limit as Go prints it: `60` for 60.0, as `#[schemars(range(..))]` writes it.
fn shown(limit: &Number) -> String {
    whole_float(limit).map_or_else(|| limit.to_string(), |whole| whole.to_string())
}

fn whole_float(number: &Number) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && (-LIMIT..LIMIT).contains(float))?;
    number.is_f64().then_some(float as i64)
}

fn is_multiple(number: &Number, multiple: &Number) -> bool {
    match (number.as_i64(), multiple.as_i64()) {
        (_, Some(0)) => true,
        (Some(number), Some(multiple)) => number % multiple == 0,
        _ => {
            let ratio = number.as_f64().unwrap_or(0.0) / multiple.as_f64().unwrap_or(1.0);
            ratio.fract() == 0.0
        }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Above,
    Below,
}

/// Compares integers with the integral part of the limit, as API servers do.
fn is_within(number: &Number, bound: &Bound, direction: Direction) -> bool {
    let order = match (number.as_i64(), bound.limit.as_i64()) {
        (Some(number), Some(limit)) => Some(number.cmp(&limit)),
        (Some(number), None) => {
            let limit = bound.limit.as_f64().unwrap_or_default().trunc();
            (number as f64).partial_cmp(&limit)
        }
        _ => number.as_f64().partial_cmp(&bound.limit.as_f64()),
    };
    match direction {
        Direction::Above => order.is_some_and(|order| order.is_gt() || (order.is_eq() && !bound.exclusive)),
        Direction::Below => order.is_some_and(|order| order.is_lt() || (order.is_eq() && !bound.exclusive)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_shown_as_go_prints_it() {
        let limits = [Number::from(3), Number::from_f64(60.0).unwrap(), Number::from_f64(-0.5).unwrap()];
        assert_eq!(limits.each_ref().map(shown), ["3", "60", "-0.5"]);
    }
}
