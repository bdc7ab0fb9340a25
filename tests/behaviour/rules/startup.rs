//! Rules with which an operator does not start.

use evenkeel::Operator;
use evenkeel::operator::Reason;
use evenkeel::prelude::*;
use evenkeel::rules::{Request, Rules};
use evenkeel_testkit::Cluster;
use evenkeel_tests::widget::{Widget, WidgetSpec};

use super::kind::{Depot, DepotSpec, Tier, depot};
use super::shapes::{one_login, url_stays};

#[rule(of = Widget, at = spec)]
fn of_a_widget(_new: &WidgetSpec) -> bool {
    true
}

#[rule(of = Depot, at = spec)]
fn reads_a_renamed_field(new: &DepotSpec) -> bool {
    new.colour.is_none()
}

#[rule(of = Depot, at = spec.colour)]
fn is_at_a_renamed_field(new: &String) -> bool {
    new == "red"
}

#[rule(of = Depot, at = spec, field = color)]
fn names_an_unknown_field(new: &DepotSpec) -> bool {
    new.paused
}

#[rule(of = Depot, at = spec)]
fn orders_variants(new: &DepotSpec) -> bool {
    new.tier < Tier::Gold
}

#[rule(of = Depot, at = spec)]
fn divides_floats(new: &DepotSpec) -> bool {
    new.ratio / 2.0 < 1.0
}

#[rule(of = Depot, at = spec)]
fn compares_lists_with_options(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.ports == old.ports
}

#[rule(of = Depot)]
fn compares_metadata(new: &Depot, old: Option<&Depot>, _request: &Request) -> bool {
    old.is_none_or(|old| new.metadata == old.metadata)
}

/// The error that ends the operator, which `crds` and `policies` print as well.
async fn refusal<R: Rules>() -> String {
    let cluster = Cluster::start().await;
    let operator = Operator::new("depots").client(cluster.client()).reconciler::<depot>(()).rules::<R>();
    let error = operator.run_until(std::future::pending()).await.unwrap_err();
    assert_eq!(error.reason(), Reason::Setup, "{error}");
    error.to_string()
}

#[tokio::test]
async fn a_rule_of_a_kind_that_is_not_reconciled_is_refused() {
    assert_eq!(
        refusal::<(url_stays, of_a_widget)>().await,
        "the rule `of_a_widget` is about Widget (tests.evenkeel.dev/v1), but this operator reconciles Depot \
         (rules.tests.evenkeel.dev/v1)\n  help: reconcile Widget in this operator, or leave the rule out of `rules::<..>()`"
    );
}

#[tokio::test]
async fn a_field_without_a_property_is_refused_with_the_similar_one() {
    let similar = "did you mean `colors`? A field needs a name in the schema that resembles its own";
    for (name, field, error) in [
        ("reads_a_renamed_field", "colour", refusal::<reads_a_renamed_field>().await),
        ("is_at_a_renamed_field", "colour", refusal::<is_at_a_renamed_field>().await),
        ("names_an_unknown_field", "color", refusal::<names_an_unknown_field>().await),
    ] {
        let headline = format!("the rule `{name}` of Depot cannot be printed: the schema has no `{field}`");
        assert_eq!(error, format!("{headline}\n  help: {similar}"));
    }
}

#[tokio::test]
async fn what_cel_does_in_another_way_is_refused() {
    for (error, part) in [
        (
            refusal::<orders_variants>().await,
            "`tier` is a text in the schema, with a list of values: Rust orders the variants",
        ),
        (
            refusal::<divides_floats>().await,
            "`ratio` is a float in the schema, and CEL has another `/` for floats than Rust",
        ),
        (
            refusal::<compares_lists_with_options>().await,
            "`ports` is a list in the schema, whose items have optional fields",
        ),
        (
            refusal::<compares_metadata>().await,
            "`metadata` is an object in the schema, with fields that the schema does not list",
        ),
    ] {
        assert!(error.contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_rule_is_registered_once() {
    let error = refusal::<(url_stays, (one_login, url_stays))>().await;
    assert!(error.starts_with("two rules of Depot have the name `url_stays`"), "{error}");
}
