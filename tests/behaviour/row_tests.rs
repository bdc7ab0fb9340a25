//! Table tests of the widget by pass and by step, and the conditions and reasons that they reach.

use evenkeel_testkit::{Coverage, Effect, Fault, Row, Seed, Verb};
use evenkeel_tests::widget::{Lab, a_widget, fetch, widget};

use super::declared::{named, spec_only, tiered};
use serde_json::{Value, json};

fn given(spec: Value) -> Seed {
    a_widget("w", spec).into()
}

/// A widget that was reconciled at revision `a`.
const SETTLED: &str = "
apiVersion: tests.evenkeel.dev/v1
kind: Widget
metadata: {name: w, finalizers: [tests.evenkeel.dev/tester]}
spec: {}
status:
  observedGeneration: 1
  fetched: a
  stored: a
  conditions:
  - {type: Ready, status: 'True', reason: Succeeded, message: The revision is known., observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z'}
  - {type: Fetched, status: 'True', reason: Succeeded, message: The revision is known., observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z'}
  - {type: Stored, status: 'True', reason: Stored, message: stored revision a, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z'}
";

#[tokio::test(start_paused = true)]
async fn a_row_lists_every_effect_of_a_pass() {
    let mut coverage = Coverage::default();
    coverage.declare_reconciler::<widget>();
    let mut row = async |name: &str, row: fn(Row) -> Row, spec: Value, wanted: &str| {
        let seen = row(Row::new(name).given(given(spec))).pass::<widget>(Lab::at("a")).await;
        seen.expect(wanted);
        coverage.add(seen.cluster());
    };
    row(
        "a new widget is claimed, its child applied, its status written once",
        |row| row,
        json!({ "child": "x" }),
        "
        writes:
        - patch widgets default/w: {metadata: {finalizers: [tests.evenkeel.dev/tester]}}
        - patch configmaps default/w: {data: {data: x}}
        - patch widgets/status default/w: {status: {observedGeneration: 1, fetched: a, stored: a}}
        events: [Normal Succeeded]
        conditions: {Ready: True Succeeded, Fetched: True Succeeded, Stored: 'True Stored: stored revision a'}
        ",
    )
    .await;
    row(
        "a widget waits for its secret",
        |row| row,
        json!({ "secret": "s" }),
        "
        outcome: Waiting
        writes:
        - patch widgets default/w
        - patch widgets/status default/w
        events: ['Normal SecretMissing: Secret \"s\" does not exist yet']
        conditions:
          Ready: False SecretMissing
          Fetched: 'False SecretMissing: Secret \"s\" does not exist yet'
          Reconciling: True Progressing
          Stored: Unknown Blocked
        ",
    )
    .await;
    row(
        "a child that is refused fails the store step",
        |row| row.fault(Fault::new(Effect::Forbidden).verb(Verb::Patch).resource("configmaps")),
        json!({ "child": "x" }),
        "
        outcome: Failed
        writes:
        - patch widgets default/w
        - patch configmaps default/w -> 403
        - patch widgets/status default/w: {status: {fetched: a, stored: null}}
        events: [Warning Api]
        conditions:
          Ready: False Api
          Fetched: True Succeeded
          Reconciling: True ProgressingWithRetry
          Stored: False Api
        ",
    )
    .await;
    let ends = [
        ("invalid", "Stalled", "Warning Invalid"),
        ("broken", "Failed", "Warning Broken"),
        ("poll", "Waiting", "Normal NotYet"),
    ];
    for (how, outcome, event) in ends {
        let reason = event.split(' ').nth(1).unwrap();
        let mark =
            if outcome == "Stalled" { "Stalled: True Invalid" } else { "Reconciling: True ProgressingWithRetry" };
        let found = ["store", "fetch"].map(|step| match step {
            "store" => (step, format!("Fetched: True Succeeded, Stored: False {reason}")),
            _ => (step, format!("Fetched: False {reason}, Stored: Unknown Blocked")),
        });
        for (step, conditions) in found {
            let wanted = format!(
                "
                outcome: {outcome}
                writes: [patch widgets default/w, patch widgets/status default/w]
                events: [{event}]
                conditions: {{Ready: False {reason}, {mark}, {conditions}}}
                "
            );
            row(&format!("{step} is {how}"), |row| row, json!({ step: how }), &wanted).await;
        }
    }
    // The Secret is read by fetch, which makes no other call; Outdated is set when a newer revision cannot be stored.
    coverage.assert_missing(["widgets Fetched Api", "widgets Outdated NewRevision"]);
}

#[tokio::test(start_paused = true)]
async fn a_new_revision_is_one_write_without_outdated() {
    let seen =
        Row::new("a new revision is one write, and Outdated never shows").given(SETTLED).pass::<widget>(Lab::at("b"));
    seen.await.expect(
        "
        writes:
        - patch widgets/status default/w: {status: {fetched: b, stored: b}}
        conditions: {Ready: True Succeeded, Fetched: True Succeeded, Stored: 'True Stored: stored revision b'}
        ",
    );
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "+ - patch configmaps default/w")]
async fn an_unexpected_write_fails_the_row() {
    let seen = Row::new("the child is forgotten").given(given(json!({ "child": "x" }))).pass::<widget>(Lab::at("a"));
    seen.await.expect(
        "
        writes: [patch widgets default/w, patch widgets/status default/w]
        events: [Normal Succeeded]
        conditions: {Ready: True Succeeded, Fetched: True Succeeded, Stored: True Stored}
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn a_step_can_be_tested_alone() {
    let lab = Lab::at("b");
    let row = Row::new("it finds a newer revision").given(SETTLED);
    row.step::<fetch, _>(async |widget, cx| fetch(widget, &lab, cx).await).await.expect(
        "
        conditions: {Fetched: True Succeeded, Outdated: 'True NewRevision: revision b is newer'}
        status: {fetched: b}
        ",
    );
    let row = Row::new("it records first what it found").given(given(json!({ "record": true })));
    row.step::<fetch, _>(async |widget, cx| fetch(widget, &lab, cx).await).await.expect(
        "
        writes:
        - patch widgets/status default/w: {status: {fetched: b}}
        conditions: {Fetched: True Succeeded}
        ",
    );
    let row = Row::new("it waits for the secret").given(given(json!({ "secret": "s" })));
    row.step::<fetch, _>(async |widget, cx| fetch(widget, &lab, cx).await).await.expect(
        "
        outcome: 'Waiting SecretMissing: Secret \"s\" does not exist yet'
        conditions: {Fetched: False SecretMissing}
        ",
    );
}

/// A widget with a child that holds the label `tier` and the annotation `note`, and with an annotation that no step reads.
fn labelled() -> Seed {
    let mut widget = a_widget("w", json!({ "child": "x" }));
    widget["metadata"]["labels"] = json!({ "tier": "gold" });
    widget["metadata"]["annotations"] = json!({ "example.com/other": "1" });
    widget.into()
}

const DONE: &str = "
writes: [patch widgets default/w, patch configmaps default/w, patch widgets/status default/w]
events: [Normal Succeeded]
conditions: {Ready: True Succeeded, Fetched: True Succeeded, Stored: True Stored}
";

#[tokio::test(start_paused = true)]
#[should_panic(expected = "declare `triggers(spec, labels(\"tier\"))`")]
async fn a_body_that_reads_an_undeclared_label_fails_its_row() {
    drop(Row::new("the tier is in the child").given(labelled()).pass::<spec_only>(Lab::at("a")).await);
}

#[tokio::test(start_paused = true)]
async fn a_row_passes_when_all_reads_are_declared() {
    Row::new("the tier is declared").given(labelled()).pass::<tiered>(Lab::at("a")).await.expect(DONE);
}

#[tokio::test(start_paused = true)]
async fn fields_written_by_the_claim_need_no_declaration() {
    let mut widget = a_widget("w", json!({ "child": "x" }));
    widget["metadata"]["labels"] = json!({ "name": "w" });
    Row::new("the claim's own label").given(widget).pass::<named>(Lab::at("a")).await.expect(DONE);
}
