//! Rejects CEL rules of a CRD that do not compile or are too expensive.

use std::cmp::Reverse;

use super::check::check as check_types;
use super::found::Found;
use super::program;
use super::rule_shape;
use super::types::{self, Place, REQUEST, Sized, Type};
use crate::schema::Rule;
use crate::schema::{Cause, ListType, Rest, Structural};

/// Maximum cost of one rule, and maximum cost of all rules of a version.
const RULE_LIMIT: u64 = 10_000_000;
const SCHEMA_LIMIT: u64 = 100_000_000;

/// Number of rules that the error lists if the total cost is too high.
const NAMED: usize = 4;

/// Checks all rules of the schema at `at`.
pub(crate) fn check(s: &Structural, at: &str, causes: &mut Vec<Cause>) {
    let mut walk = Walk { causes, total: 0, expensive: Vec::new() };
    walk.node(s, at, &Around { place: Place::Root, count: Some(1), uncorrelated: None });
    walk.settle(at);
}

struct Walk<'c> {
    causes: &'c mut Vec<Cause>,
    total: u64,
    expensive: Vec<(String, u64)>,
}

/// The context of a schema node.
#[derive(Clone)]
struct Around {
    place: Place,
    /// Maximum number of occurrences of the node; `None` if there is no limit.
    count: Option<u64>,
    /// The enclosing list whose items can't be correlated with old items.
    uncorrelated: Option<String>,
}

impl Around {
    fn within(&self, most: Option<u64>) -> Self {
        let count = self.count.zip(most).map(|(count, most)| count.saturating_mul(most));
        Self { place: Place::Inside, count, uncorrelated: self.uncorrelated.clone() }
    }
}

impl Walk<'_> {
    fn node(&mut self, s: &Structural, at: &str, around: &Around) {
        for (name, property) in &s.properties {
            self.node(property, &format!("{at}.properties[{name}]"), &around.within(Some(1)));
        }
        if let Rest::Each(each) = &s.rest {
            self.node(each, &format!("{at}.additionalProperties"), &around.within(s.rules.size.max));
        }
        if let Some(items) = &s.items {
            let mut inner = around.within(s.rules.count.max);
            if !matches!(s.list, ListType::Map(_)) {
                inner.uncorrelated.get_or_insert_with(|| at.to_owned());
            }
            self.node(items, &format!("{at}.items"), &inner);
        }
        if !s.cel.is_empty() {
            self.rules(s, &format!("{at}.x-kubernetes-validations"), around);
        }
    }

    fn rules(&mut self, s: &Structural, at: &str, around: &Around) {
        for (index, rule) in s.cel.iter().enumerate() {
            rule_shape::check(rule, s, &format!("{at}[{index}]"), self.causes);
        }
        let Some(own) = types::of(s, around.place) else {
            let why = "failed to construct type information for x-kubernetes-validations rules: unable to convert \
                       structural schema to CEL declarations";
            let message = format!("Internal error: internal error: {why}");
            self.causes.push(Cause { reason: "InternalError".to_owned(), message, field: at.to_owned() });
            return;
        };
        for (index, rule) in s.cel.iter().enumerate().filter(|(_, rule)| !rule.rule.trim().is_empty()) {
            self.rule(rule, &own, &format!("{at}[{index}]"), around);
            self.message(rule, &own, &format!("{at}[{index}].messageExpression"));
        }
    }

    fn rule(&mut self, rule: &Rule, own: &Sized, at: &str, around: &Around) {
        let field = format!("{at}.rule");
        let refuse = |why: String| Cause::invalid(&field, rule.printed(), why);
        match compiled(&rule.rule, rule, own) {
            Err(why) => self.causes.push(refuse(format!("compilation failed: {why}"))),
            Ok(found) if !matches!(found.kind, Type::Bool | Type::Dyn) => {
                self.causes.push(refuse("cel expression must evaluate to a bool".to_owned()));
            }
            Ok(found) => {
                let count = around.count.unwrap_or(REQUEST / (own.least + 1));
                self.cost("estimated rule cost", &field, found.cost.max.saturating_mul(count));
            }
        }
        self.transition(rule, at, around);
    }

    fn transition(&mut self, rule: &Rule, at: &str, around: &Around) {
        let is_transition = program::parsed(&rule.rule).is_ok_and(|expr| program::uses(&expr.expr, "oldSelf"));
        match (&around.uncorrelated, rule.optional_old_self) {
            (Some(list), _) if is_transition => {
                let why = format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {list}");
                self.causes.push(Cause::invalid(&format!("{at}.rule"), format!("{:?}", rule.rule), why));
            }
            (_, Some(optional)) if !is_transition => {
                let why = "may not be set if oldSelf is not used in rule";
                self.causes.push(Cause::invalid(&format!("{at}.optionalOldSelf"), optional, why));
            }
            _ => {}
        }
    }

    fn message(&mut self, rule: &Rule, own: &Sized, field: &str) {
        if rule.message_expression.trim().is_empty() {
            return;
        }
        let refuse = |why: String| Cause::invalid(field, rule.printed(), why);
        match compiled(&rule.message_expression, rule, own) {
            Err(why) => self.causes.push(refuse(format!("messageExpression compilation failed: {why}"))),
            Ok(found) if !matches!(found.kind, Type::Text) => {
                self.causes.push(refuse("messageExpression must evaluate to a string".to_owned()));
            }
            Ok(found) => self.cost("estimated messageExpression cost", field, found.cost.max),
        }
    }

    fn cost(&mut self, what: &str, field: &str, cost: u64) {
        if cost > RULE_LIMIT {
            self.causes.push(Cause::forbidden(field, &exceeded(what, cost, RULE_LIMIT)));
        }
        self.total = self.total.saturating_add(cost);
        self.expensive.push((field.to_owned(), cost));
    }

    /// Checks the total cost of all rules against its limit.
    fn settle(mut self, at: &str) {
        if self.total <= SCHEMA_LIMIT {
            return;
        }
        self.expensive.sort_by_key(|(_, cost)| Reverse(*cost));
        for (field, _) in self.expensive.iter().take(NAMED) {
            let why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            self.causes.push(Cause::forbidden(field, why));
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        self.causes.push(Cause::forbidden(at, &exceeded(what, self.total, SCHEMA_LIMIT)));
    }
}

/// The type and cost of a rule's expression, or the errors as the CEL compiler prints them.
fn compiled(text: &str, rule: &Rule, own: &Sized) -> Result<Found, String> {
    let expr = program::parsed(text)?;
    let old = match rule.optional_old_self {
        Some(true) => Sized::new(Type::Optional(Box::new(own.clone())), own.max, own.least),
        _ => own.clone(),
    };
    let variables = vec![("self".to_owned(), own.clone()), ("oldSelf".to_owned(), old)];
    check_types(&expr.expr, variables).map_err(|mistakes| program::placed(text, &mistakes))
}

fn exceeded(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}
