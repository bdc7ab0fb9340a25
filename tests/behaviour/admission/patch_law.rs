//! Laws of patches: any change of a typed object, replayed onto any raw object of the kind.

use std::sync::Mutex;

use evenkeel::prelude::*;
use evenkeel_random_cases::{Choices, each_paused};
use kube::ResourceExt;
use serde_json::{Value, json};

use super::kinds::{Login, Repo, StoredPath, operator, web};
use super::review::{answer, create, patched};

const PATH: &str = "/admit/mutate-repos.v1.tests.evenkeel.dev";

/// What the function sets; it is the same each time, so that its second run changes nothing.
#[derive(Clone, Debug, Default)]
struct Wish {
    every: Option<u32>,
    url: Option<String>,
    login: Option<Option<Login>>,
    label: Option<String>,
    paths: Vec<StoredPath>,
    word: Option<String>,
    mirrors: Vec<(String, Option<Login>)>,
}

static WISH: Mutex<Option<Wish>> = Mutex::new(None);

#[mutate]
fn grant(repo: &mut Repo) -> Result<(), Denial> {
    let wish = WISH.lock().map_err(|_| Denial::new("poisoned"))?.clone().unwrap_or_default();
    repo.spec.every = wish.every.unwrap_or(repo.spec.every);
    repo.spec.url = wish.url.unwrap_or_else(|| repo.spec.url.clone());
    repo.spec.login = wish.login.unwrap_or_else(|| repo.spec.login.clone());
    if let Some(label) = wish.label {
        repo.labels_mut().insert("team".into(), label);
    }
    for path in wish.paths {
        if repo.spec.paths.iter().all(|other| other.stored_as != path.stored_as) {
            repo.spec.paths.push(path);
        }
    }
    if let (Some(word), Some(path)) = (wish.word, repo.spec.paths.first_mut()) {
        path.words = vec![word];
    }
    for (name, mirror) in wish.mirrors {
        match mirror {
            Some(mirror) => drop(repo.spec.mirrors.insert(name, mirror)),
            None => drop(repo.spec.mirrors.remove(&name)),
        }
    }
    Ok(())
}

fn word(choices: &mut Choices) -> String {
    choices.pick(&["a", "b", "c", "x/y", "~"]).to_owned()
}

fn maybe<T>(choices: &mut Choices, make: impl FnOnce(&mut Choices) -> T) -> Option<T> {
    choices.chance(0.5).then(|| make(choices))
}

fn login(choices: &mut Choices) -> Login {
    Login { user_name: word(choices) }
}

fn path(choices: &mut Choices) -> StoredPath {
    let words = (0..choices.range(0..3)).map(|_| word(choices)).collect();
    StoredPath { stored_as: word(choices), words }
}

fn wish(choices: &mut Choices) -> Wish {
    Wish {
        every: maybe(choices, |choices| choices.range(0..3)),
        url: maybe(choices, word),
        login: maybe(choices, |choices| maybe(choices, login)),
        label: maybe(choices, word),
        paths: (0..choices.range(0..3)).map(|_| path(choices)).collect(),
        word: maybe(choices, word),
        mirrors: (0..choices.range(0..3)).map(|_| (word(choices), maybe(choices, login))).collect(),
    }
}

/// Adds a member that no type has to objects of the tree.
fn sprinkle(value: &mut Value, choices: &mut Choices) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(|value| sprinkle(value, choices));
            if choices.chance(0.5) {
                members.insert("future".into(), json!({ "at": choices.range(0..9) }));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| sprinkle(item, choices)),
        _ => {}
    }
}

/// A raw object: some members of the type, with unknown ones between them.
fn raw(choices: &mut Choices) -> Value {
    let mut object = web();
    if choices.chance(0.5) {
        object["metadata"]["labels"] = json!({ word(choices): word(choices) });
    }
    let mut spec = json!({ "url": word(choices), "ownerTeam": word(choices) });
    if choices.chance(0.5) {
        spec["every"] = json!(choices.range(0..3));
    }
    if choices.chance(0.5) {
        spec["login"] = json!(maybe(choices, login));
    }
    if choices.chance(0.7) {
        spec["paths"] = json!((0..choices.range(0..4)).map(|_| path(choices)).collect::<Vec<_>>());
    }
    if choices.chance(0.5) {
        spec["mirrors"] = (0..choices.range(0..3)).map(|_| (word(choices), json!(login(choices)))).collect();
    }
    sprinkle(&mut spec, choices);
    // In this map, an unknown member would be a mirror.
    if let Some(mirrors) = spec.get_mut("mirrors").and_then(Value::as_object_mut) {
        mirrors.remove("future");
    }
    object["spec"] = spec;
    object
}

/// The unknown members below a value, each with its path; without those in lists, whose items may be replaced.
fn unknown(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    for (name, member) in value.as_object().into_iter().flatten() {
        let path = format!("{path}/{name}");
        match name == "future" {
            true => found.push((path, member.clone())),
            false => unknown(member, &path, found),
        }
    }
}

#[test]
fn a_patch_makes_the_typed_change_and_nothing_else() {
    each_paused(300, async |choices| {
        let (object, wish) = (raw(choices), wish(choices));
        *WISH.lock().unwrap() = Some(wish.clone());
        let operator = operator::<grant>();
        let after = patched(&object, &answer(&operator, PATH, &create(&object)).await);
        // The typed object is what the function made.
        let mut wanted: Repo = serde_json::from_value(object.clone()).unwrap();
        grant(&mut wanted).unwrap();
        let typed: Repo = serde_json::from_value(after.clone()).unwrap();
        assert_eq!((&typed.spec, &typed.metadata), (&wanted.spec, &wanted.metadata), "{object} {wish:?}");
        // What the type does not know stays, unless the object that it is in was removed.
        let mut before = Vec::new();
        unknown(&object, "", &mut before);
        for (path, value) in before {
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            if after.pointer(parent).is_some_and(Value::is_object) && !was_removed(&wish, parent) {
                assert_eq!(after.pointer(&path), Some(&value), "{path} of {object} after {wish:?}");
            }
        }
        // The second run changes nothing.
        let again = answer(&operator, PATH, &create(&after)).await;
        assert_eq!(again["patch"], Value::Null, "{after} {wish:?}");
    });
}

/// Whether the function replaces the object at this path. It may be made anew in the same call.
fn was_removed(wish: &Wish, parent: &str) -> bool {
    let mirror = parent.strip_prefix("/spec/mirrors/");
    wish.mirrors.iter().any(|(name, login)| Some(name.as_str()) == mirror && login.is_none())
}
