//! The rules of these tests mean the same in Rust and in CEL.

use evenkeel::rule;
use evenkeel::rules::{Declared, Request, Rule};
use evenkeel_testkit::rules;

use super::kind::{Depot, DepotSpec};
use super::printed::All;
use super::shapes::{login_stays, robots_tag, url_stays};

#[test]
fn each_rule_is_the_same_in_rust_and_in_cel() {
    rules::<All>();
}

/// The CEL of one rule with the function of another one.
macro_rules! mixed {
    ($name:ident, $cel:ident, $function:expr) => {
        #[allow(non_camel_case_types, reason = "named like a function")]
        struct $name;

        impl Rule for $name {
            type Kind = Depot;
            const DECLARED: Declared = <$cel as Rule>::DECLARED;

            fn evaluate(object: &Depot, old: Option<&Depot>, request: &Request) -> Option<bool> {
                $function(object, old, request)
            }
        }
    };
}

mixed!(never_called, url_stays, |_, _, _| None);
mixed!(holds_for_empty, login_stays, |new: &Depot, old: Option<&Depot>, _| {
    let (new, old) = (new.spec.secret.as_ref()?, old?.spec.secret.as_ref()?);
    Some(new.name == old.name && new.key.clone().unwrap_or_default() == old.key.clone().unwrap_or_default())
});
mixed!(robots_may_not, robots_tag, |new: &Depot, old: Option<&Depot>, request: &Request| {
    Some(robots_tag(new, old, request) && !request.user.groups.contains("release-robots"))
});

/// A set of Rust whose list is no set in the schema.
#[rule(of = Depot, at = spec)]
fn sets_are_lists(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.areas == old.areas
}

fn refused(law: fn()) -> String {
    let panic = std::panic::catch_unwind(law).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn a_difference_is_reported_with_the_simplest_objects() {
    let message = refused(rules::<holds_for_empty>);
    assert!(
        message.starts_with("the rule `login_stays` of Depot: Rust returns true, and CEL returns false\n"),
        "{message}"
    );
    assert!(message.contains("\n  rule: self.name == oldSelf.name && ("), "{message}");
    assert!(message.contains(r#""secret":{"key":"","name":"#) && !message.contains("serviceAccount"), "{message}");
}

#[test]
fn a_difference_in_a_policy_is_reported_with_the_request() {
    let message = refused(rules::<(url_stays, robots_may_not)>);
    assert!(message.contains("Rust returns false, and CEL returns true"), "{message}");
    assert!(message.contains("\n  request: {") && message.contains("release-robots"), "{message}");
}

#[test]
fn a_set_without_its_list_type_is_found() {
    let message = refused(rules::<sets_are_lists>);
    assert!(message.contains("Rust returns true, and CEL returns false"), "{message}");
}

/// An unlimited list in an unlimited list.
#[rule(of = Depot, at = spec)]
fn is_expensive(new: &DepotSpec) -> bool {
    new.areas.iter().all(|area| new.areas.iter().any(|other| other == area))
}

#[test]
fn a_rule_that_costs_too_much_is_reported_with_the_limits_that_help() {
    let message = refused(rules::<is_expensive>);
    assert!(message.starts_with("the rule `is_expensive` of Depot: an API server rejects it\n"), "{message}");
    assert!(message.contains("exceeds budget") && message.contains("maxItems"), "{message}");
    assert!(message.contains("help: a field of Rust gets a limit by `#[schemars(length(max = 64))]`"), "{message}");
}

#[test]
fn a_function_that_is_not_called_is_no_agreement() {
    let message = refused(rules::<never_called>);
    assert!(message.contains("Rust is not called, and CEL returns false"), "{message}");
}
