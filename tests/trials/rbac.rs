//! Each RBAC rule that the operator needs is taken away once, while objects change, and given back.

use std::collections::BTreeSet;
use std::time::Duration;

use evenkeel_tests::real::Version;
use evenkeel_tests::role::Role;
use evenkeel_tests::trial::long;
use tokio::time::sleep;

use crate::operator::operator;
use crate::yard::Yard;

/// Who the operator is where rules are checked.
const USER: &str = "system:serviceaccount:default:trial";

/// One rule at a time, verb by verb; in the short form each third.
pub async fn each_rule_is_taken_away_once() {
    let Some(yard) = Yard::open(Version::Full, Some(USER)).await else { return };
    let (operator, none) = (operator("unused".into()), BTreeSet::new());
    let rights = operator.rbac_rules();
    let each = rights.iter().flat_map(|right| right.verbs.iter().map(move |verb| (&*right.resource, verb.as_str())));
    let rules: Vec<(&str, &str)> = each.collect();
    let role = Role { admin: yard.client.clone(), name: USER.to_owned() };
    role.allow(&operator, &none).await;
    yard.create(20).await;
    yard.start(&[]);
    yard.settle("all rules").await;
    for at in (0..rules.len()).step_by(if long() { 1 } else { 3 }) {
        let (resource, verb) = rules[at];
        role.allow(&operator, &[rules[at]].into()).await;
        // A watch that is open goes on without the rule: half of them meet it at the start.
        if at % 2 == 0 {
            yard.kill();
            yard.start(&[]);
        }
        tokio::join!(sleep(Duration::from_secs(2)), yard.change(10));
        role.allow(&operator, &none).await;
        yard.settle(&format!("without {verb} of {resource}")).await;
    }
    yard.close().await;
}
