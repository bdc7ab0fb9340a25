//! Removes each RBAC rule of the operator once while objects change, and restores it.

use std::collections::BTreeSet;
use std::time::Duration;

use evenkeel_tests::real::Version;
use evenkeel_tests::role::Role;
use evenkeel_tests::trial::long;
use tokio::time::sleep;

use crate::operator::operator;
use crate::yard::Yard;

/// The user whose rules are checked.
const USER: &str = "system:serviceaccount:default:trial";

/// One rule at a time, by verb; in the short form every third.
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
        // An open watch continues without the rule, so half of them start without it.
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
