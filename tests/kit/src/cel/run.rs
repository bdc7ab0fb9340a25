//! Evaluates the rules of a schema when an object is written.

use kube_cel::cel::Value as Cel;
use serde_json::{Map, Value};

use super::types::Place;
use super::value::Maker;
use super::{cost_meter, eval, field, message, optional, program};
use crate::schema::Rule;
use crate::schema::{Cause, Kind, ListType, Rest, Structural, is_equal, join};

/// The result of evaluating all rules.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) causes: Vec<Cause>,
    /// Failures in unchanged parts of the object.
    pub(crate) warnings: Vec<String>,
    /// The total cost of all rules so far.
    pub(super) spent: u64,
    /// Whether the cost limit is exceeded, so that no further rules are evaluated.
    is_over: bool,
}

/// Maximum cost of all rules for one object.
const OBJECT_LIMIT: u64 = 10_000_000;

/// Schema errors that prevent the evaluation of rules, since the values may not match the types of the schema.
const BLOCKING: [&str; 5] =
    ["FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"];

/// Evaluates all rules on the resource `new`, which replaces `old`; `found` are the schema errors of `new`.
pub(crate) fn run(new: &Value, old: Option<&Value>, s: &Structural, found: &[Cause]) -> Outcome {
    let mut outcome = Outcome::default();
    if !has_rules(s) {
        return outcome;
    }
    if found.iter().any(|cause| BLOCKING.contains(&cause.reason.as_str())) {
        let why = "some validation rules were not checked because the object was invalid; correct the existing errors \
                   to complete validation";
        outcome.causes.push(Cause::invalid("<nil>", "null", why));
        return outcome;
    }
    node(new, old, s, "", Place::Root, &mut outcome);
    outcome
}

fn has_rules(s: &Structural) -> bool {
    let rest = match &s.rest {
        Rest::Each(each) => Some(each.as_ref()),
        _ => None,
    };
    !s.cel.is_empty() || s.properties.values().chain(rest).chain(s.items.as_deref()).any(has_rules)
}

/// Rules are not evaluated on null values; only the rules of their parents see the null.
fn node(new: &Value, old: Option<&Value>, s: &Structural, at: &str, place: Place, outcome: &mut Outcome) {
    let old = old.filter(|old| !old.is_null());
    if new.is_null() || outcome.is_over {
        return;
    }
    if !s.cel.is_empty() {
        rules(new, old, s, at, place, outcome);
    }
    match new {
        Value::Array(list) => items(list, old, s, at, outcome),
        Value::Object(map) => members(map, old, s, at, outcome),
        _ => {}
    }
}

fn items(list: &[Value], old: Option<&Value>, s: &Structural, at: &str, outcome: &mut Outcome) {
    let Some(schema) = s.items.as_deref() else { return };
    for (index, item) in list.iter().enumerate() {
        let past = match &s.list {
            ListType::Map(keys) => old
                .and_then(Value::as_array)
                .and_then(|old| old.iter().find(|other| keys.iter().all(|key| other.get(key) == item.get(key)))),
            _ => None,
        };
        node(item, past, schema, &format!("{at}[{index}]"), Place::Inside, outcome);
    }
}

fn members(map: &Map<String, Value>, old: Option<&Value>, s: &Structural, at: &str, outcome: &mut Outcome) {
    for (name, value) in map {
        let past = old.and_then(|old| old.get(name));
        match (s.properties.get(name), &s.rest) {
            (Some(schema), _) => node(value, past, schema, &join(at, name), Place::Inside, outcome),
            (None, Rest::Each(schema)) => node(value, past, schema, &format!("{at}[{name}]"), Place::Inside, outcome),
            (None, Rest::Nothing | Rest::Anything) => {}
        }
    }
}

const OVER: &str = "no further validation rules will be run";

impl Outcome {
    /// Reports why no further rules are evaluated.
    fn end(&mut self, at: &str, s: &Structural, why: &str) {
        self.causes.push(Cause::invalid(place_of(at), format!("{:?}", type_name(s)), why));
        self.is_over = true;
    }
}

fn place_of(at: &str) -> &str {
    if at.is_empty() { "<nil>" } else { at }
}

fn type_name(s: &Structural) -> &str {
    if s.kind == Kind::IntOrString { "" } else { s.kind.name() }
}

fn rules(new: &Value, old: Option<&Value>, s: &Structural, at: &str, place: Place, outcome: &mut Outcome) {
    let maker = Maker;
    let own = maker.make(new, s, place);
    let past = old.map(|old| maker.make(old, s, place));
    let is_unchanged = old.is_some_and(|old| is_equal(old, new));
    for rule in &s.cel {
        let Ok(expr) = program::parsed(&rule.rule) else { continue };
        let is_transition = program::uses(&expr.expr, "oldSelf");
        let is_optional = rule.optional_old_self == Some(true);
        if is_transition && past.is_none() && !is_optional {
            continue;
        }
        let variables = variables(&own, past.as_ref(), is_optional);
        let (given, cost) = eval::run(&expr, &variables);
        outcome.spent += cost;
        let failure = match given {
            Err(error) if cost_meter::is_cancelled(&error) => {
                let name = rule.name();
                let why =
                    format!("'{}': {OVER} due to call cost exceeds limit for rule: {name}", cost_meter::CANCELLED);
                return outcome.end(at, s, &why);
            }
            _ if outcome.spent > OBJECT_LIMIT => {
                let why = format!("validation failed due to running out of cost budget, {OVER}");
                return outcome.end(at, s, &why);
            }
            Ok(Cel::Bool(true)) => continue,
            Ok(_) => match message::of(rule, &variables, &mut outcome.spent) {
                Ok(message) => broken(rule, new, at, s, &message),
                Err(message::TooExpensive) => {
                    let name = &rule.message_expression;
                    let why = format!("{OVER} due to call cost exceeds limit for messageExpression: {name:?}");
                    return outcome.end(at, s, &why);
                }
            },
            Err(error) => {
                outcome.causes.push(stopped(rule, place_of(at), s, &message::failure(&error)));
                continue;
            }
        };
        if is_unchanged && !is_transition {
            outcome.warnings.push(failure.to_string());
        } else {
            outcome.causes.push(failure);
        }
    }
}

fn variables(own: &Cel, past: Option<&Cel>, is_optional: bool) -> Vec<(String, Cel)> {
    let past = if is_optional { Some(optional::made(past.cloned())) } else { past.cloned() };
    let named = [("self", Some(own.clone())), ("oldSelf", past)];
    named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The cause for a rule that is false.
fn broken(rule: &Rule, value: &Value, at: &str, s: &Structural, message: &str) -> Cause {
    let blamed = field::blamed(&rule.field_path, s, at);
    let field = place_of(&blamed);
    let reason = rule.reason.as_deref().unwrap_or("FieldValueInvalid");
    let (head, with_value) = match reason {
        "FieldValueForbidden" => ("Forbidden", false),
        "FieldValueRequired" => ("Required value", false),
        "FieldValueDuplicate" => {
            return Cause { message: duplicate(value), reason: reason.to_owned(), field: field.to_owned() };
        }
        _ => ("Invalid value", true),
    };
    let value =
        if with_value && !value.is_object() && !value.is_array() { format!("{value}: ") } else { String::new() };
    Cause { reason: reason.to_owned(), message: format!("{head}: {value}{message}"), field: field.to_owned() }
}

fn duplicate(value: &Value) -> String {
    if value.is_object() || value.is_array() {
        "Duplicate value".to_owned()
    } else {
        format!("Duplicate value: {value}")
    }
}

/// The cause for a rule whose evaluation failed.
fn stopped(rule: &Rule, at: &str, s: &Structural, why: &str) -> Cause {
    let name = rule.name();
    let text = if why.starts_with("no such overload") {
        format!(
            "'{why}': call arguments did not match a supported operator, function or macro signature for rule: {name}"
        )
    } else {
        format!("{why} evaluating rule: {name}")
    };
    Cause::invalid(at, format!("{:?}", type_name(s)), text)
}
