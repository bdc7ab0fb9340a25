//! The cost limits of CEL rules at runtime.

use serde_json::{Value, json};

use crate::cel::{create, define, refuses, ruled};
use crate::check::{Broken, Verdict, same};
use crate::env::Env;
use crate::rule::rules;

rules![
    a_rule_that_costs_too_much_is_stopped,
    a_message_that_costs_too_much_is_stopped,
    rules_that_cost_too_much_together_are_stopped,
];

fn numbers(most: usize) -> Value {
    json!({"type": "array", "maxItems": most, "items": {"type": "integer"}})
}

/// Whether the rules allow a list of this many ones.
async fn fits(env: &Env, name: &str, length: usize) -> Result<bool, Broken> {
    Ok(create(env, name, json!({"l": vec![1; length]})).await?.status == 201)
}

async fn a_rule_that_costs_too_much_is_stopped(env: &Env) -> Verdict {
    let rule = "self.map(a, a + 1).all(a, self.all(b, a >= b))";
    let rules = json!([{"rule": rule}, {"rule": "size(self) < 2 || size(self) > 400"}]);
    define(env, json!({"l": ruled(numbers(500), rules)})).await?;
    same("a list of 406 fits", fits(env, "x", 406).await?, true)?;
    let why = "no further validation rules will be run due to call cost exceeds limit for rule";
    let refused =
        format!("spec.l: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': {why}: {rule}");
    refuses(create(env, "y", json!({"l": vec![1; 407]})).await?, &[&refused])
}

async fn a_message_that_costs_too_much_is_stopped(env: &Env) -> Verdict {
    let message = "self.all(a, self.exists(b, a + b == 0) || true) ? 'yes' : 'no'";
    let rules = json!([{"rule": "size(self) < 1", "messageExpression": message}, {"rule": "size(self) > 500"}]);
    define(env, json!({"l": ruled(numbers(500), rules)})).await?;
    let why = "no further validation rules will be run due to call cost exceeds limit for messageExpression";
    let refused = format!("spec.l: Invalid value: \"array\": {why}: \"{message}\"");
    refuses(create(env, "x", json!({"l": vec![1; 354]})).await?, &[&refused])
}

async fn rules_that_cost_too_much_together_are_stopped(env: &Env) -> Verdict {
    // Each iteration creates a list, which costs ten: expensive, but fast to evaluate.
    let rule = format!("self.all(a, self.all(b, size([{}[b]]) > 0))", "[b], ".repeat(19));
    let last = ruled(json!({"type": "integer"}), json!([{"rule": "self > 5"}]));
    define(env, json!({"l": ruled(numbers(68), json!(vec![json!({"rule": rule}); 11])), "z": last})).await?;
    same("a list of 55 fits", create(env, "y", json!({"l": vec![1; 55]})).await?.status, 201)?;
    let refused = "spec.l: Invalid value: \"array\": validation failed due to running out of cost budget, no further \
                   validation rules will be run";
    let answer = create(env, "x", json!({"l": vec![1; 64]})).await?;
    refuses(answer, &[refused])
}
