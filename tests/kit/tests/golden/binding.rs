//! Placeholders: values that differ between runs but must be consistent within a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<(?:(rv|uid|continue|rand|clusterIP):(\d+|current)|(time|microtime|etag|port|hash))>").unwrap()
});

/// The writers that change the resource version of lists and bookmarks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writers {
    /// Only the case.
    Alone,
    /// Controllers and other users too; such a version is at least the recorded one.
    Others,
}

/// The values that are bound to the placeholders of one case.
#[derive(Clone)]
pub(crate) struct Bindings {
    writers: Writers,
    values: BTreeMap<String, String>,
    /// Versions of lists and bookmarks. On the recording server, other writes may come between them and the objects.
    loose: BTreeSet<String>,
}

impl Bindings {
    pub(crate) fn new(writers: Writers) -> Self {
        Self { writers, values: BTreeMap::new(), loose: BTreeSet::new() }
    }

    /// The version of a list or bookmark as if there were no other writers.
    pub(crate) fn without_others(&self, pattern: &str, actual: &str) -> String {
        let known = self.values.get(pattern).filter(|_| self.writers == Writers::Others);
        let earlier = known.filter(|known| known.parse::<u64>().ok() <= actual.parse().ok());
        earlier.map_or(actual, String::as_str).to_owned()
    }

    /// Checks that `actual` matches `pattern`, and binds unbound placeholders.
    pub(crate) fn fits(&mut self, pattern: &str, actual: &str) -> Result<(), String> {
        if pattern == actual {
            return Ok(());
        }
        let names: Vec<&str> = PLACEHOLDER.find_iter(pattern).map(|m| m.as_str()).collect();
        let differs = || format!("expected {pattern:?}, found {actual:?}");
        let shape = shape(pattern).captures(actual).ok_or_else(differs)?;
        names
            .into_iter()
            .zip(shape.iter().skip(1).flatten())
            .filter(|(name, _)| name.contains(':'))
            .try_for_each(|(name, value)| self.bind(name, value.as_str()))
    }

    fn bind(&mut self, name: &str, value: &str) -> Result<(), String> {
        match self.values.get(name) {
            Some(known) if known == value => return Ok(()),
            Some(known) => return Err(format!("{name} was {known:?}, found {value:?}")),
            None => {}
        }
        let clash = self.values.iter().find(|(other, known)| self.contradicts(name, value, other, known));
        let verdict = clash.map_or(Ok(()), |(other, known)| {
            Err(format!("{name} is {value:?}, which does not fit {other} = {known:?}"))
        });
        self.values.insert(name.to_owned(), value.to_owned());
        verdict
    }

    /// Different names have different values, and versions have the order of their numbers.
    fn contradicts(&self, name: &str, value: &str, other: &str, known: &str) -> bool {
        let (Some((kind, number)), Some((other_kind, other_number))) = (split(name), split(other)) else {
            return false;
        };
        if kind != other_kind || kind == "rand" {
            return false;
        }
        match value.parse::<u64>().ok().zip(known.parse::<u64>().ok()) {
            Some((value, known)) if kind == "rv" => {
                let either = self.loose.contains(name) || self.loose.contains(other);
                number.cmp(&other_number) != value.cmp(&known) && !(either && value == known)
            }
            _ => value == known,
        }
    }

    /// Marks the versions in `value` as those of a list or bookmark.
    pub(crate) fn loosen(&mut self, value: &Value) {
        let text = value.to_string();
        let versions = unbound(&text).filter(|name| !self.values.contains_key(*name));
        let versions: Vec<String> = versions.map(str::to_owned).collect();
        self.loose.extend(versions);
    }

    /// The text with every placeholder replaced by its value.
    pub(crate) fn resolve(&self, text: &str) -> String {
        let value = |found: &Captures<'_>| match &found[0] {
            "<time>" => "2026-01-01T00:00:00Z".to_owned(),
            "<microtime>" => "2026-01-01T00:00:00.000000Z".to_owned(),
            name => self.values.get(name).cloned().unwrap_or_else(|| name.to_owned()),
        };
        PLACEHOLDER.replace_all(text, value).into_owned()
    }

    /// [`Self::resolve`] for every string and key of a body; times are those of the live object.
    pub(crate) fn resolve_all(&self, value: &Value, live: &Value) -> Value {
        let none = &Value::Null;
        match value {
            Value::String(text) if text == "<time>" && live.is_string() => live.clone(),
            Value::String(text) => Value::String(self.resolve(text)),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| self.resolve_all(item, live.get(index).unwrap_or(none))).collect()
            }
            Value::Object(fields) => {
                let resolved = |(key, value): (&String, &Value)| {
                    (self.resolve(key), self.resolve_all(value, live.get(key).unwrap_or(none)))
                };
                Value::Object(fields.iter().map(resolved).collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    /// Binds a value that only the live object has: its version or uid.
    pub(crate) fn observe(&mut self, unbound: &str, value: &str) {
        self.values.insert(unbound.to_owned(), value.to_owned());
    }

    /// Drops a value that was valid for one request only.
    pub(crate) fn forget(&mut self, name: &str) {
        self.values.remove(name);
    }
}

/// The placeholders in `text` that are not bound yet.
pub(crate) fn unbound(text: &str) -> impl Iterator<Item = &str> {
    PLACEHOLDER
        .find_iter(text)
        .map(|found| found.as_str())
        .filter(|name| name.starts_with("<rv:") || name.starts_with("<uid:"))
}

/// Whether a text contains a placeholder.
pub(crate) fn is_pattern(text: &str) -> bool {
    PLACEHOLDER.is_match(text)
}

fn split(name: &str) -> Option<(&str, u64)> {
    let (kind, number) = name.trim_matches(['<', '>']).split_once(':')?;
    Some((kind, number.parse().ok()?))
}

fn shape(pattern: &str) -> Regex {
    let mut text = String::from("(?s)^");
    let mut end = 0;
    for found in PLACEHOLDER.captures_iter(pattern) {
        let whole = found.get(0).unwrap();
        text.push_str(&regex::escape(&pattern[end..whole.start()]));
        text.push_str(match &found[0] {
            "<time>" => r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)",
            "<microtime>" => r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)",
            _ => "(.+?)",
        });
        end = whole.end();
    }
    text.push_str(&regex::escape(&pattern[end..]));
    text.push('$');
    Regex::new(&text).unwrap()
}
