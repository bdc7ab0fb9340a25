//! Accepts the names of CRDs: within a group, a name belongs to the first CRD for which it is accepted.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::condition::{Condition, NAMES_ACCEPTED};
use super::field::{text, texts};

/// Names that are accepted for other CRDs of the group.
#[derive(Debug, Default)]
pub(super) struct Taken {
    resources: HashSet<String>,
    kinds: HashSet<String>,
}

impl Taken {
    /// Adds the accepted names in the status of a CRD.
    pub(super) fn add(&mut self, status: &Value) {
        let words = |names: [&str; 2]| names.map(|name| text(status, &format!("/acceptedNames/{name}")).to_owned());
        self.resources.extend(words(["plural", "singular"]));
        self.resources.extend(texts(status, "/acceptedNames/shortNames").into_iter().map(str::to_owned));
        self.kinds.extend(words(["kind", "listKind"]));
        self.resources.remove("");
        self.kinds.remove("");
    }
}

/// Returns the accepted names and the condition `NamesAccepted`.
pub(super) fn accept(crd: &Value, taken: &Taken) -> (Value, Condition) {
    let mut given = Given { asked: &crd["spec"]["names"], names: accepted(crd), clash: None };
    given.word("plural", &taken.resources, "PluralConflict");
    given.word("singular", &taken.resources, "SingularConflict");
    given.short_names(&taken.resources);
    given.word("kind", &taken.kinds, "KindConflict");
    given.word("listKind", &taken.kinds, "ListKindConflict");
    given.copy("categories");
    let condition = given.clash.unwrap_or_else(|| Condition::met(NAMES_ACCEPTED, "NoConflicts", "no conflicts found"));
    (Value::Object(given.names), condition)
}

/// The names in the status, without empty strings.
fn accepted(crd: &Value) -> Map<String, Value> {
    let names = crd.pointer("/status/acceptedNames").and_then(Value::as_object).cloned().unwrap_or_default();
    names.into_iter().filter(|(_, name)| *name != json!("")).collect()
}

struct Given<'a> {
    asked: &'a Value,
    names: Map<String, Value>,
    clash: Option<Condition>,
}

impl Given<'_> {
    fn word(&mut self, field: &'static str, taken: &HashSet<String>, reason: &'static str) {
        let asked = self.asked[field].as_str().unwrap_or_default();
        let has = self.names.get(field).and_then(Value::as_str) == Some(asked);
        if has || !taken.contains(asked) {
            self.copy(field);
        } else {
            self.clash = Some(Condition::unmet(NAMES_ACCEPTED, reason, used(asked)));
        }
    }

    /// Either all short names are accepted or none.
    fn short_names(&mut self, taken: &HashSet<String>) {
        let has = texts_of(self.names.get("shortNames"));
        let asked = texts_of(self.asked.get("shortNames"));
        let clashes: Vec<String> =
            asked.iter().filter(|name| !has.contains(name) && taken.contains(**name)).map(|name| used(name)).collect();
        match clashes.as_slice() {
            [] => self.copy("shortNames"),
            [one] => self.clash = Some(Condition::unmet(NAMES_ACCEPTED, "ShortNamesConflict", one.clone())),
            many => {
                self.clash =
                    Some(Condition::unmet(NAMES_ACCEPTED, "ShortNamesConflict", format!("[{}]", many.join(", "))));
            }
        }
    }

    fn copy(&mut self, field: &str) {
        match self.asked.get(field).filter(|asked| !asked.is_null()) {
            Some(asked) => drop(self.names.insert(field.to_owned(), asked.clone())),
            None => drop(self.names.remove(field)),
        }
    }
}

fn texts_of(list: Option<&Value>) -> Vec<&str> {
    list.map(|list| texts(list, "")).unwrap_or_default()
}

fn used(name: &str) -> String {
    format!("{name:?} is already in use")
}
