//! The short-circuit, trigger by trigger: which changes each lets through, and that no other trigger would.

use evenkeel::ownership::OPERATOR_NAMESPACE;
use evenkeel::{__test_hooks, Operator};
use evenkeel_tests::random_sequence::{Played, Step, difference, play};

use Step::{Annotate, Child, CrashDuring, Create, Delete, DropFinalizer, EditChild, ForeignStatus, Label, Move};
use Step::{Request, Require, Secret, Start, Stop, Suspend, Trigger};

/// For each trigger: a sequence whose last step only it lets through.
fn lets_through(cause: &str) -> Option<Vec<Step>> {
    Some(match cause {
        "appeared" => vec![Stop, EditChild, Start(0)],
        "generation" => vec![Child("y")],
        "labels" => vec![Label(Some("gold"))],
        "annotations" => vec![Annotate("note", Some("1"))],
        "policy" => vec![Annotate("evenkeel.dev/policy", Some("skip"))],
        "ownership" => {
            vec![Annotate(OPERATOR_NAMESPACE, Some("there")), EditChild, Annotate(OPERATOR_NAMESPACE, Some("here"))]
        }
        "deletion" => vec![Delete],
        "finalizer" => vec![DropFinalizer],
        "owned" => vec![EditChild],
        "watched" => vec![Secret(Some("1")), Require(true), Secret(Some("2"))],
        "resync" => vec![Move("b")],
        "retry" => vec![Move("bad"), Move("b")],
        "requested" => vec![Request("b")],
        "triggered" => vec![Trigger("b")],
        "wiring" => vec![Stop, Start(1)],
        "suspension" => vec![Suspend(true), EditChild, Suspend(false)],
        _ => return None,
    })
}

/// Sets the operator's namespace for the sequence about ownership.
fn whole(operator: Operator, cause: &str) -> Operator {
    if cause == "ownership" { operator.operator_namespace("here") } else { operator }
}

fn always(operator: Operator, cause: &str) -> Operator {
    whole(operator, cause).without_short_circuit()
}

fn without(operator: Operator, cause: &str) -> Operator {
    whole(operator, cause).without_trigger(cause)
}

/// Without resyncs, since an interval may end at any moment and would sometimes hide a missed change.
fn blind(operator: Operator, cause: &str) -> Operator {
    let operator = without(operator, cause);
    if matches!(cause, "resync" | "retry") { operator } else { operator.without_trigger("resync") }
}

fn same(steps: &[Step], one: &Played, other: &Played) {
    if let Some((at, how)) = difference(one, other) {
        panic!("{steps:?} at {at}: {how}");
    }
}

fn passes_of_last_step(played: &Played) -> usize {
    let [.., before, after] = played.passes[..] else { return played.passes[0] - 1 };
    after - before
}

#[test]
fn each_trigger_alone_lets_its_sequence_through() {
    for cause in __test_hooks::triggers() {
        let steps = lets_through(cause).unwrap_or_else(|| panic!("say what lets `{cause}` through, in `lets_through`"));
        let needed = play(&steps, always, cause);
        same(&steps, &play(&steps, whole, cause), &needed);
        let blind = play(&steps, blind, cause);
        let (at, _) = difference(&blind, &needed).unwrap_or_else(|| panic!("nobody misses `{cause}` in {steps:?}"));
        assert_eq!(at, steps.len() - 1, "{cause}: it is the last step that is missed");
        println!("without `{cause}`, {steps:?} ends otherwise");
    }
}

#[test]
fn a_change_without_a_trigger_runs_no_body() {
    let cases = [
        vec![ForeignStatus],
        vec![Annotate("kubectl.kubernetes.io/last-applied-configuration", Some("{}"))],
        vec![Annotate("evenkeel.dev/other", Some("1"))],
        vec![Secret(Some("1"))],
        vec![Create],
        vec![Stop, Label(None), ForeignStatus],
    ];
    for steps in cases {
        let played = play(&steps, blind, "resync");
        assert_eq!(passes_of_last_step(&played), 0, "{steps:?}");
    }
}

#[test]
fn changes_during_downtime_are_found_after_a_restart() {
    let cases = [
        vec![Stop, Child("y"), Start(0)],
        vec![Stop, Label(Some("gold")), Start(0)],
        vec![Stop, Annotate("note", Some("1")), Start(0)],
        vec![Stop, DropFinalizer, Start(0)],
        vec![Stop, Delete, Start(0)],
        vec![Stop, Step::DeleteChild, Start(0)],
        vec![Stop, Step::OrphanChild, Start(0)],
        vec![Secret(Some("1")), Require(true), Stop, Secret(Some("2")), Start(0)],
        vec![Secret(Some("1")), Require(true), Stop, Secret(None), Start(0)],
        vec![CrashDuring("y"), Start(0)],
        vec![Stop, Request("b"), Start(0)],
    ];
    for steps in cases {
        let found = play(&steps, whole, "");
        same(&steps, &found, &play(&steps, always, ""));
        let [.., before, after] = &found.states[..] else { panic!("two steps at least") };
        assert_ne!(before, after, "the restart had something to do: {steps:?}");
    }
}
