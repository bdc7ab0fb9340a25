//! The order of the decisions: every combination of facts, compared with the single rules.

use std::cell::RefCell;
use std::time::Duration;

use super::*;
use crate::outcome::Class;
use crate::outcome::reporting::Actions;

/// Facts set by a test. Records which of the expensive ones were computed.
#[derive(Clone, Debug)]
struct Given {
    contested: bool,
    foreign: bool,
    lacks_namespace: bool,
    triggers: TriggerSet,
    suspended: bool,
    unsent: Unsent,
    blocked: bool,
    references: References,
    current: bool,
    asked: RefCell<Vec<&'static str>>,
}

/// The facts of an unchanged object.
fn unchanged() -> Given {
    Given {
        contested: false,
        foreign: false,
        lacks_namespace: false,
        triggers: TriggerSet::NONE,
        suspended: false,
        unsent: Unsent::None,
        blocked: false,
        references: References::None,
        current: true,
        asked: RefCell::default(),
    }
}

impl Given {
    fn asked(&self, what: &'static str) {
        self.asked.borrow_mut().push(what);
    }

    fn pass_error() -> PassError {
        PassError::new(Class::Waiting { poll: None }, "DependencyNotReady", "not ready", Actions::WAITING)
    }
}

impl Facts for Given {
    fn contested(&self) -> Option<Duration> {
        self.contested.then_some(Duration::from_secs(1))
    }

    fn foreign_owner(&self) -> Option<String> {
        self.foreign.then(|| "other".to_owned())
    }

    fn lacks_namespace(&self) -> bool {
        self.lacks_namespace
    }

    fn triggers(&self) -> TriggerSet {
        self.triggers
    }

    fn is_suspended(&self) -> bool {
        self.suspended
    }

    fn unsent(&self) -> Unsent {
        self.unsent
    }

    fn blocked_by(&self) -> Option<PassError> {
        self.asked("blocked_by");
        self.blocked.then(Self::pass_error)
    }

    fn references(&self) -> References {
        self.references
    }

    fn is_digest_current(&self, _: Option<&PassError>) -> bool {
        self.asked("digest");
        self.current
    }
}

/// The decision as a word.
fn word(given: &Given) -> &'static str {
    match decide(given) {
        Err(MissingFact::Namespace) => "lacks namespace",
        Err(MissingFact::References(blocked_by)) => {
            assert_eq!(blocked_by.is_some(), given.blocked, "what blocks it is kept");
            "lacks references"
        }
        Ok(Decision::Contested(_)) => "contested",
        Ok(Decision::Foreign(other)) => {
            assert_eq!(other, "other");
            "foreign"
        }
        Ok(Decision::Delete) => "delete",
        Ok(Decision::Suspended) => "suspended",
        Ok(Decision::Resend) => "resend",
        Ok(Decision::Unchanged) => "unchanged",
        Ok(Decision::Blocked(_)) => "blocked",
        Ok(Decision::Run) => "run",
    }
}

/// Every combination of facts.
fn all() -> Vec<Given> {
    let mut all = vec![unchanged()];
    let mut vary = |variants: &[fn(&mut Given)]| {
        all = all
            .iter()
            .flat_map(|given| {
                variants.iter().map(|change| {
                    let mut given = given.clone();
                    change(&mut given);
                    given
                })
            })
            .collect();
    };
    vary(&[|_| (), |given| given.contested = true]);
    vary(&[|_| (), |given| given.foreign = true]);
    vary(&[|_| (), |given| given.lacks_namespace = true]);
    vary(&[
        |_| (),
        |given| given.triggers = TriggerSet::GENERATION,
        |given| given.triggers = TriggerSet::DELETION,
        |given| given.triggers = TriggerSet::DELETION | TriggerSet::RETRY,
    ]);
    vary(&[|_| (), |given| given.suspended = true]);
    vary(&[|_| (), |given| given.unsent = Unsent::Resend, |given| given.unsent = Unsent::OutOfDate]);
    vary(&[|_| (), |given| given.blocked = true]);
    vary(&[|_| (), |given| given.references = References::Unwatched, |given| given.references = References::Unknown]);
    vary(&[|_| (), |given| given.current = false]);
    all
}

#[test]
fn an_unchanged_object_short_circuits() {
    assert_eq!(word(&unchanged()), "unchanged");
}

#[test]
fn each_single_fact_has_its_decision() {
    let with = |change: fn(&mut Given)| {
        let mut given = unchanged();
        change(&mut given);
        word(&given)
    };
    assert_eq!(with(|given| given.contested = true), "contested");
    assert_eq!(with(|given| given.foreign = true), "foreign");
    assert_eq!(with(|given| given.lacks_namespace = true), "lacks namespace");
    assert_eq!(with(|given| given.triggers = TriggerSet::DELETION), "delete");
    assert_eq!(with(|given| given.triggers = TriggerSet::GENERATION), "run");
    assert_eq!(with(|given| given.suspended = true), "suspended");
    assert_eq!(with(|given| given.unsent = Unsent::Resend), "resend");
    assert_eq!(with(|given| given.unsent = Unsent::OutOfDate), "run");
    assert_eq!(with(|given| given.references = References::Unwatched), "lacks references");
    assert_eq!(with(|given| given.references = References::Unknown), "run");
    assert_eq!(with(|given| given.current = false), "run");
    // The digest includes a verdict on the dependencies, so a stalled object may be blocked and unchanged.
    assert_eq!(with(|given| given.blocked = true), "unchanged");
    assert_eq!(with(|given| (given.blocked, given.current) = (true, false)), "blocked");
}

#[test]
fn the_first_fact_in_order_decides() {
    for given in all() {
        let is_deleting = given.triggers.contains(TriggerSet::DELETION);
        let steps = if given.blocked { "blocked" } else { "run" };
        let expected = match &given {
            Given { contested: true, .. } => "contested",
            Given { foreign: true, .. } => "foreign",
            Given { lacks_namespace: true, .. } => "lacks namespace",
            _ if is_deleting => "delete",
            Given { suspended: true, .. } => "suspended",
            Given { unsent: Unsent::Resend, .. } => "resend",
            Given { unsent: Unsent::OutOfDate, .. } => steps,
            _ if !given.triggers.is_empty() => steps,
            Given { references: References::Unwatched, .. } => "lacks references",
            Given { references: References::None, current: true, .. } => "unchanged",
            _ => steps,
        };
        assert_eq!(word(&given), expected, "{given:?}");
    }
}

#[test]
fn the_digest_is_computed_only_when_nothing_else_decides() {
    for given in all() {
        let word = word(&given);
        let asked = given.asked.take();
        let decides = ["unchanged", "run", "blocked"].contains(&word)
            && given.triggers.is_empty()
            && given.unsent == Unsent::None
            && given.references == References::None;
        assert_eq!(asked.contains(&"digest"), decides, "{given:?}");
        let before = ["contested", "foreign", "lacks namespace", "delete", "suspended", "resend"].contains(&word);
        assert_eq!(
            asked.contains(&"blocked_by"),
            !before,
            "dependencies are followed only for an object of ours: {given:?}"
        );
    }
}

#[test]
fn an_object_with_unreadable_references_is_not_unchanged() {
    let blocked = || Some(Given::pass_error());
    let given = unchanged();
    assert!(matches!(after_watching(&given, None, true), Decision::Unchanged));
    assert!(matches!(after_watching(&given, None, false), Decision::Run));
    assert!(matches!(after_watching(&given, blocked(), true), Decision::Unchanged));
    assert!(matches!(after_watching(&given, blocked(), false), Decision::Blocked(_)));
    let changed = Given { current: false, ..unchanged() };
    assert!(matches!(after_watching(&changed, None, true), Decision::Run));
    assert!(matches!(after_watching(&changed, blocked(), true), Decision::Blocked(_)));
}
