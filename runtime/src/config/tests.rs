//! Tests of the file: what is valid, what is rejected with its place, and what a reload changes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use evenkeel_random_cases::each;
use serde::Deserialize;
use tokio::sync::watch;

use super::document::Document;
use super::live::Live;
use super::problem::Problem;
use super::reload::{Accepted, Reload, Status};
use super::section::{Section, Settings};
use crate::logged::logged;

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", default)]
struct Shop {
    greeting: String,
    limit: u8,
    tags: Vec<Tag>,
    size: Option<Size>,
    checked: Even,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct Tag {
    name: String,
}

#[derive(Debug, Deserialize, PartialEq)]
enum Size {
    Small,
    Large,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(try_from = "u32")]
struct Even(u32);

impl TryFrom<u32> for Even {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        if number.is_multiple_of(2) { Ok(Self(number)) } else { Err("the number must be even".to_owned()) }
    }
}

fn check(live: &Live<Shop>, text: &str) -> Result<Accepted, Problem> {
    let document = Document::parse(text)?;
    let apply = Settings::of(live).check(text, &document)?;
    let apply = Box::new(move || {
        apply();
        vec!["settings"]
    });
    Ok(Accepted { pending: Vec::new(), apply })
}

/// What is wrong, as a log line has it.
fn refused(text: &str) -> String {
    let Err(problem) = check(&Live::default(), text) else { panic!("accepted: {text}") };
    format!("{}: {}; {}", problem.in_file(Path::new("shop.yaml")), problem.text, problem.help)
}

#[test]
fn a_section_replaces_the_whole_value() {
    let live = Live::new(Shop { limit: 9, greeting: "Hi".into(), ..Shop::default() });
    let text = "settings:\n  greeting: Hello\n  tags: [{name: a}]\n  size: Large\n";
    (check(&live, text).ok().unwrap().apply)();
    let tags = vec![Tag { name: "a".into() }];
    let expected = Shop { greeting: "Hello".into(), tags, size: Some(Size::Large), ..Shop::default() };
    assert_eq!(*live.now(), expected);
}

#[test]
fn a_file_without_the_section_has_the_settings_of_the_program() {
    let live = Live::new(Shop { limit: 9, ..Shop::default() });
    for text in ["{}", "concurrency: 4", "settings:", "settings: null"] {
        (check(&live, text).ok().unwrap().apply)();
        assert_eq!(live.now().limit, 9, "{text}");
    }
}

#[test]
fn an_invalid_section_is_rejected_with_its_place() {
    for (text, expected) in [
        ("settings:\n  greting: x\n", "shop.yaml:2:3: unknown field `settings.greting`; remove it"),
        ("settings:\n  tags:\n    - name: a\n    - nam: b\n", "shop.yaml:4:7: unknown field `settings.tags.1.nam`"),
        ("a: 1\nsettings:\n  limit: 256\n", "shop.yaml:3:10: settings: the value"),
        ("settings:\n  limit: many\n", "shop.yaml:2:10: settings: the value has another type; expected"),
        (
            "settings:\n  size: Huge\n",
            "shop.yaml:2:9: settings: the value is not allowed; expected one of Small, Large",
        ),
        ("settings:\n  checked: 3\n", "settings: the number must be even"),
        ("settings: [1]\n", "shop.yaml:1:11: settings: the value has another type"),
    ] {
        let refused = refused(text);
        assert!(refused.contains(expected), "{refused}\n{text}");
    }
}

#[test]
fn a_text_that_is_no_mapping_is_rejected() {
    for (text, expected) in [
        ("", "shop.yaml: the file is empty; write `{}`"),
        ("  \n", "the file is empty"),
        ("# only a comment\n", "nothing instead of a mapping"),
        ("- a\n", "a list instead of a mapping"),
        ("text", "a text instead of a mapping"),
        ("settings:\n  greeting: \"half", "shop.yaml:"),
        ("a: 1\na: 2\n", "shop.yaml:2:1: the key `a` is there twice"),
        ("a: 1\n---\nb: 2\n", "YAML"),
        ("a: [1, 2\nb: 3\n", "shop.yaml:"),
    ] {
        let refused = refused(text);
        assert!(refused.contains(expected), "{refused}\n{text}");
    }
}

#[test]
fn no_value_of_the_file_is_in_a_message() {
    const SECRET: &str = "hunter2-canary";
    for text in [
        "settings: hunter2-canary",
        "settings:\n  limit: hunter2-canary\n",
        "settings:\n  size: hunter2-canary\n",
        "settings:\n  tags: hunter2-canary\n",
        "settings:\n  limit: [hunter2-canary\n",
        "hunter2-canary",
        "settings:\n  greeting: \"hunter2-canary\n",
        "settings: &a hunter2-canary\nb: *c\n",
    ] {
        let refused = refused(text);
        assert!(!refused.contains(SECRET), "{refused}");
    }
}

#[test]
fn the_hash_depends_on_the_values_of_the_section_alone() {
    let hash = |text: &str| Document::parse(text).unwrap().fingerprint();
    assert_eq!(hash("{}"), "");
    assert_eq!(hash("settings:\n"), "");
    assert_eq!(hash("settings: {a: 1, b: x}"), hash("# c\nlog: debug\nsettings:\n  b: \"x\"\n  a: 1\n"));
    assert_ne!(hash("settings: {a: 1}"), hash("settings: {a: 2}"));
    assert_ne!(hash("settings: {a: 1}"), hash("settings: {a: \"1\"}"));
}

fn reload(live: &Live<Shop>) -> (Reload, watch::Receiver<Status>, Arc<AtomicUsize>) {
    let (status, seen) = watch::channel(Status::default());
    let (live, checks) = (live.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = checks.clone();
    let check = move |text: &str| {
        counted.fetch_add(1, Ordering::Relaxed);
        check(&live, text)
    };
    (Reload::new("shop.yaml".into(), "{}".into(), Box::new(check), status), seen, checks)
}

#[test]
fn an_invalid_content_changes_nothing_and_is_logged_once() {
    let live = Live::default();
    let (mut reload, status, _) = reload(&live);
    reload.take(Ok("settings: {limit: 7}".into()));
    let lines = logged(|| {
        reload.take(Ok("settings: {limit: 300}".into()));
        assert!(status.borrow().rejected);
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("the former one stays in force") && lines[0].contains("shop.yaml:1:"), "{lines:?}");
    assert_eq!(live.now().limit, 7);
    let lines = logged(|| reload.take(Err(Problem::new("the file does not exist", "mount it"))));
    assert!(lines[0].contains("the file does not exist"), "{lines:?}");
    assert_eq!((live.now().limit, status.borrow().rejected), (7, true));
    reload.take(Ok("settings: {limit: 8}".into()));
    assert_eq!((live.now().limit, status.borrow().rejected), (8, false));
}

#[test]
fn random_bytes_never_change_the_settings() {
    each(256, |random| {
        let live = Live::new(Shop { limit: 7, ..Shop::default() });
        let valid = b"settings:\n  greeting: Hello\n  limit: 12\n  tags: [{name: a}, {name: b}]\nconcurrency: 4\n";
        let mut bytes = valid.to_vec();
        for _ in 0..=random.range(0..6) {
            let at = random.range(0..bytes.len());
            match random.range(0..4) {
                0 => bytes[at] = u8::try_from(random.range(0..256)).unwrap(),
                1 => bytes.truncate(at + 1),
                2 => bytes.insert(at, b"{}[]&*!|>'\"%@`:-#\n\t "[random.range(0..20)]),
                _ => drop(bytes.remove(at)),
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        let Ok(text) = String::from_utf8(bytes) else { return };
        match check(&live, &text) {
            // It is in force only when it is applied.
            Ok(_) | Err(_) => assert_eq!(live.now().limit, 7),
        }
        let (mut reload, _, _) = reload(&live);
        let is_valid = check(&live, &text).is_ok();
        reload.take(Ok(text.clone()));
        if !is_valid {
            assert_eq!(*live.now(), Shop { limit: 7, ..Shop::default() }, "{text}");
        }
    });
}
