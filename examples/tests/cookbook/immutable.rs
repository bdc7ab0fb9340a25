//! A field that cannot be changed, without a webhook.

use evenkeel::prelude::*;

use crate::kinds::{Site, SiteSpec};
use crate::namespaces::sites;

/// The DNS record belongs to its account.
#[rule(of = Site, at = spec, field = account, message = "the account of a site cannot be changed")]
pub fn account_stays(new: &SiteSpec, old: &SiteSpec) -> bool {
    old.account.is_empty() || new.account == old.account
}

pub fn operator() -> Operator {
    Operator::new("cookbook").reconciler::<sites>(()).rules::<(account_stays,)>()
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::Row;

    use super::*;
    use crate::world::shop;

    /// Without the rule, the change is stored.
    #[tokio::test(start_paused = true)]
    async fn the_account_is_set_once() {
        let row = Row::new("another account").given(shop("{host: a.example.com, account: blue}"));
        let denied =
            r#"{outcome: Denied, denied: {spec.account: "Invalid value: the account of a site cannot be changed"}}"#;
        row.admit(operator(), shop("{host: a.example.com, account: red}")).await.expect(denied);
        let row = Row::new("a first account").given(shop("{host: a.example.com}"));
        row.admit(operator(), shop("{host: a.example.com, account: red}")).await.expect("outcome: Allowed");
    }

    #[test]
    fn the_rule_is_the_same_in_rust_and_in_cel() {
        evenkeel_testkit::rules::<(account_stays,)>();
    }
}
