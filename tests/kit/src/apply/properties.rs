//! Laws of server-side apply, over random configurations; a failure is shrunk.

#![allow(clippy::needless_pass_by_value, reason = "json! reads best where it is used")]

use std::cell::Cell;

use evenkeel_random_cases::{Choices, each, seeds};
use serde_json::{Map, Value, json};

use super::actor::{Actor, Force, Lists, Rules};
use super::compare::compare;
use super::managed_fields::Ledger;
use super::managed_fields::without_ledger;
use super::owned_paths::owned;
use super::shape::Shape;
use super::{ApplyError, apply, fields, is_unchanged, track_update};
use crate::schema::{Structural, fixture, validate};

const ROUNDS: u64 = 120;

fn actor(manager: &str) -> Actor<'_> {
    Actor {
        manager,
        api_version: "ex.dev/v1",
        subresource: None,
        time: "2026-01-01T00:00:01Z",
        rules: Rules::default(),
    }
}

fn config(spec: Value) -> Value {
    json!({"apiVersion": "ex.dev/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec})
}

/// Some of `names`, in any order.
fn some(choices: &mut Choices, names: &[&str]) -> Vec<String> {
    let mut names: Vec<_> = names.iter().filter(|_| choices.chance(0.5)).map(|name| (*name).to_owned()).collect();
    choices.shuffle(&mut names);
    names
}

fn word(choices: &mut Choices) -> Value {
    json!(choices.pick(&["1", "2"]))
}

fn dict(choices: &mut Choices, names: &[&str]) -> Value {
    some(choices, names).into_iter().map(|name| (name, word(choices))).collect::<Map<_, _>>().into()
}

fn env(choices: &mut Choices) -> Value {
    let names = some(choices, &["A", "B", "C", "D"]);
    names
        .into_iter()
        .map(
            |name| {
                if choices.chance(0.7) { json!({"name": name, "value": word(choices)}) } else { json!({"name": name}) }
            },
        )
        .collect()
}

fn ports(choices: &mut Choices) -> Value {
    let keys = some(choices, &["80 TCP", "80 UDP", "443 TCP"]);
    keys.iter()
        .map(|key| {
            let (port, protocol) = key.split_once(' ').unwrap();
            let port: u64 = port.parse().unwrap();
            if protocol == "TCP" && choices.chance(0.5) {
                json!({"port": port})
            } else {
                json!({"port": port, "protocol": protocol})
            }
        })
        .collect()
}

fn spec(choices: &mut Choices) -> Value {
    let members: [(&str, Value); 11] = [
        ("size", json!(choices.range(0..3))),
        ("color", json!(choices.pick(&["red", "green"]))),
        ("note", choices.pick(&[json!(null), json!("n")])),
        ("tags", json!(some(choices, &["x", "y", "z"]))),
        ("plainList", json!(some(choices, &["p", "q"]))),
        ("env", env(choices)),
        ("ports", ports(choices)),
        ("dict", dict(choices, &["a", "b", "c"])),
        ("atom", dict(choices, &["a", "b"])),
        ("nested", json!({"a": word(choices), "c": dict(choices, &["d"])})),
        ("any", json!({"x": dict(choices, &["y", "z"]), "l": some(choices, &["i"]), "s": word(choices)})),
    ];
    members
        .into_iter()
        .filter(|_| choices.chance(0.4))
        .map(|(name, value)| (name.to_owned(), value))
        .collect::<Map<_, _>>()
        .into()
}

struct Setup<'a> {
    choices: &'a mut Choices,
    schema: Structural,
}

impl<'a> Setup<'a> {
    fn new(choices: &'a mut Choices) -> Self {
        Self { choices, schema: fixture::widget() }
    }

    fn lists(&self) -> Lists<'_> {
        Lists::Structural(&self.schema)
    }

    fn config(&mut self) -> Value {
        config(spec(self.choices))
    }

    fn apply(&self, live: Option<&Value>, config: &Value, manager: &str, force: Force) -> Result<Value, ApplyError> {
        apply(live, config, self.lists(), &actor(manager), force)
    }

    /// An object that two appliers and an updater wrote.
    fn live(&mut self) -> Value {
        let first = self.config();
        let mut live = self.apply(None, &first, "b1", Force::No).unwrap();
        let second = self.config();
        live = self.apply(Some(&live), &second, "b2", Force::Yes).unwrap();
        let mut new = live.clone();
        crate::patch::merge_patch(&mut new, &json!({"spec": spec(self.choices)}));
        track_update(Some(&live), &mut new, self.lists(), &actor("u"));
        new
    }
}

/// Lists that are shared by item may be reordered by any field manager that applies.
fn unordered(obj: &Value) -> Value {
    let mut obj = without_ledger(obj);
    for name in ["tags", "env", "ports"] {
        if let Some(Value::Array(items)) = obj["spec"].get_mut(name) {
            items.sort_by_key(ToString::to_string);
        }
    }
    obj
}

#[test]
fn applying_twice_changes_nothing_the_second_time() {
    each(ROUNDS, |choices| {
        let mut setup = Setup::new(choices);
        let (live, config) = (setup.live(), setup.config());
        let once = setup.apply(Some(&live), &config, "a", Force::Yes).unwrap();
        let twice = setup.apply(Some(&once), &config, "a", Force::No);
        assert_eq!(twice.as_ref(), Ok(&once));
        assert!(is_unchanged(&once, &once));
    });
}

/// `value` without empty maps and lists.
fn without_hollow(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let full = map.iter().map(|(name, value)| (name.clone(), without_hollow(value)));
            full.filter(|(name, value)| name.starts_with("f:") || (value != &json!({}) && value != &json!([])))
                .collect()
        }
        other => other.clone(),
    }
}

#[test]
fn releasing_everything_leaves_what_was_there_before() {
    let applied = Cell::new(0);
    each(ROUNDS, |choices| {
        let mut setup = Setup::new(choices);
        let (live, config) = (setup.live(), without_hollow(&setup.config()));
        // An empty map that loses a member again becomes null, and an empty list has no owner: the server does both.
        if without_hollow(&live) != live {
            return;
        }
        let Ok(with_a) = setup.apply(Some(&live), &config, "a", Force::No) else { return };
        let empty = json!({"apiVersion": "ex.dev/v1", "kind": "Widget", "metadata": {"name": "a"}});
        let without_a = setup.apply(Some(&with_a), &empty, "a", Force::No).unwrap();
        assert_eq!(unordered(&without_a), unordered(&live), "{config}");
        assert!(Ledger::of(&without_a).is_same_but_times(&Ledger::of(&live)), "{config}");
        applied.set(applied.get() + 1);
    });
    let tried = seeds(ROUNDS).count();
    let applied = applied.get();
    assert!(applied > tried / 20 || tried < 20, "only {applied} of {tried} did not conflict");
}

/// `value` without some of its members and items; atomic ones are dropped whole or not at all.
fn part(choices: &mut Choices, spec: &Value) -> Value {
    let mut part = spec.clone();
    let members = part.as_object_mut().unwrap();
    members.retain(|_, _| choices.chance(0.7));
    for name in ["tags", "env", "ports"] {
        if let Some(Value::Array(items)) = members.get_mut(name) {
            items.retain(|_| choices.chance(0.7));
        }
    }
    for name in ["dict", "nested", "any"] {
        if let Some(Value::Object(map)) = members.get_mut(name) {
            map.retain(|_, _| choices.chance(0.7));
        }
    }
    part
}

#[test]
fn equal_values_never_conflict() {
    each(ROUNDS, |choices| {
        let mut setup = Setup::new(choices);
        let live = setup.live();
        let spec = part(setup.choices, &live["spec"]);
        let applied = setup.apply(Some(&live), &config(spec.clone()), "a", Force::No);
        assert!(applied.is_ok(), "{applied:?}\nlive {}\napplied {spec}", live["spec"]);
        assert_eq!(unordered(&applied.unwrap()), unordered(&live));
    });
}

#[test]
fn what_is_applied_is_there_and_owned() {
    each(ROUNDS, |choices| {
        let mut setup = Setup::new(choices);
        let (live, config) = (setup.live(), setup.config());
        let applied = setup.apply(Some(&live), &config, "a", Force::Yes).unwrap();
        let again = super::merge::merge(&without_ledger(&applied), &config, Shape::root(setup.lists(), &json!({})));
        assert_eq!(unordered(&again), unordered(&applied));
        let own =
            Ledger::of(&applied).entries.into_iter().find(|(id, _)| id.manager == "a").map(|(_, entry)| entry.set);
        let claimed = owned(&config["spec"], Shape::root(setup.lists(), &json!({})).member("spec").unwrap().0);
        let listed = own.as_ref().and_then(|set| set.below(&super::path_element::Element::field("spec")));
        assert_eq!(listed.cloned().unwrap_or_default(), claimed);
    });
}

#[test]
fn nobody_owns_what_is_not_there() {
    each(ROUNDS, |choices| {
        let mut setup = Setup::new(choices);
        let mut live = setup.live();
        for step in 0..6 {
            let manager = setup.choices.pick(&["a", "b1", "b2"]);
            let config = setup.config();
            let Ok(new) = setup.apply(Some(&live), &config, manager, Force::Yes) else { continue };
            // A parent named without what it held is null, and no server stores that.
            if !validate(&new, None, &setup.schema).is_empty() {
                continue;
            }
            live = new;
            let there = compare(&json!({}), &without_ledger(&live), Shape::root(setup.lists(), &json!({}))).added;
            for (id, entry) in Ledger::of(&live).entries {
                let stray = entry.set.difference(&there);
                assert!(stray.is_empty(), "step {step}: {id:?} owns {}", fields::encode(&stray));
            }
        }
    });
}

#[test]
fn field_sets_survive_a_round_trip() {
    each(ROUNDS, |choices| {
        let mut setup = Setup::new(choices);
        let set = owned(&setup.config(), Shape::root(setup.lists(), &json!({})));
        assert_eq!(fields::decode(&fields::encode(&set)).as_ref(), Ok(&set));
    });
}
