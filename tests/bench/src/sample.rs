//! One object of each kind as the API server would send it; the test `fixtures` holds that our operator left them so.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

/// Stands for the name of the object.
pub const NAME: &str = "release-00000000";
/// Stands for the name of the first object, whatever the number of the one that is rendered.
const FIRST: &str = "the-first-release";
/// Stands for its version.
pub const VERSION: &str = "RV";
/// Stands for the uid of the one that owns a child.
pub const UID: &str = "00000000-4c55-4a1e-9c2a-1e6f9c2a1e6f";

/// One object in its versions: as it stands, after a change of its spec that needs no work any more, and after a change of its status.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its collection: `releases`.
    pub plural: &'static str,
    before: String,
    after: String,
    uid: String,
    distinct: bool,
    /// There are at most so many of it, however many there are of other kinds.
    pub(crate) at_most: usize,
}

/// Where the fixtures are.
#[must_use]
pub fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).with_extension("json")
}

impl Sample {
    /// What the files of this name hold.
    ///
    /// # Panics
    /// When they cannot be read.
    #[must_use]
    pub fn read(plural: &'static str) -> Self {
        let text = std::fs::read_to_string(fixture(plural)).expect("a fixture");
        let mut versions: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        let after = versions.pop().expect("a version").to_string();
        let before = versions.pop().map_or_else(|| after.clone(), |before| before.to_string());
        let uid = serde_json::from_str::<Value>(&before).expect("JSON")["metadata"]["uid"]
            .as_str()
            .expect("a uid")
            .to_owned();
        let uid = uid.trim_end_matches("-child").to_owned();
        Self { plural, before, after, uid, distinct: false, at_most: usize::MAX }
    }

    /// The same, and each object has a uid of its own. What its status remembers of the last pass is then not true any more.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self { distinct: true, ..self }
    }

    /// The same for a client that does not ask for the metadata alone: objects of this kind of the core group.
    #[must_use]
    pub fn whole(self, kind: &str) -> Self {
        let of_kind = |text: String| {
            text.replace("\"meta.k8s.io/v1\"", "\"v1\"").replace("\"PartialObjectMetadata\"", &format!("\"{kind}\""))
        };
        Self { before: of_kind(self.before), after: of_kind(self.after), ..self }
    }

    /// There is one of it, however many there are of other kinds.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { at_most: 1, ..self }
    }

    /// The same, and what changes is a field of the status that somebody else writes.
    ///
    /// # Panics
    /// When it is no JSON.
    #[must_use]
    pub fn touched(self) -> Self {
        let mut after: Value = serde_json::from_str(&self.before).expect("JSON");
        after["status"]["stamp"] = Value::from("now");
        Self { after: after.to_string(), ..self }
    }

    /// The same with so many entries of `managedFields`, those that are there in turn.
    ///
    /// # Panics
    /// When it is no JSON.
    #[must_use]
    pub fn managers(self, count: usize) -> Self {
        let with = |text: &str| {
            let mut object: Value = serde_json::from_str(text).expect("JSON");
            let entries = object["metadata"]["managedFields"].take();
            object["metadata"]["managedFields"] =
                entries.as_array().expect("entries").iter().cycle().take(count).cloned().collect();
            object.to_string()
        };
        Self { before: with(&self.before), after: with(&self.after), ..self }
    }

    /// The same, and all are owned by the first object of its kind.
    ///
    /// # Panics
    /// When it is no JSON.
    #[must_use]
    pub fn siblings(self) -> Self {
        let of_one = |text: &str| {
            let mut object: Value = serde_json::from_str(text).expect("JSON");
            object["metadata"]["ownerReferences"][0]["name"] = Value::from(FIRST);
            object.to_string()
        };
        Self { before: of_one(&self.before), after: of_one(&self.after), ..self }
    }

    /// The text of one object at a version.
    #[must_use]
    pub fn render(&self, number: usize, changed: bool, version: usize) -> String {
        let text = if changed { &self.after } else { &self.before };
        let text = text.replace(NAME, &format!("release-{number:08}")).replace("\"RV\"", &format!("\"{version}\""));
        let text = text.replace(FIRST, NAME);
        if self.distinct { text.replace(&self.uid, &format!("{number:08}{}", &UID[8..])) } else { text }
    }

    /// How many bytes of JSON it has, and how many of them are `managedFields`.
    #[must_use]
    pub fn sizes(&self) -> (usize, usize) {
        let object: Value = serde_json::from_str(&self.before).expect("JSON");
        (self.before.len(), object["metadata"]["managedFields"].to_string().len())
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, fields) = self.sizes();
        write!(f, "{}: {all} B of JSON each, {} % of it managedFields", self.plural, fields * 100 / all)
    }
}
