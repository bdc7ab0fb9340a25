//! One object of each kind as the API server sends it; the test `fixtures` checks that evenkeel wrote them.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

/// The placeholder for the name of the object.
pub const NAME: &str = "release-00000000";
/// The placeholder for the name of the first object, whatever the number of the rendered one.
const FIRST: &str = "the-first-release";
/// The revision that a release has applied.
const REVISION: &str = "0000000000000000000000000000000000000001";
/// The placeholder for the version.
pub const VERSION: &str = "RV";
/// The placeholder for the uid of the owner of a child.
pub const UID: &str = "00000000-4c55-4a1e-9c2a-1e6f9c2a1e6f";

/// One object in several versions: as stored, after a change, and after the write of an operator that follows the change.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The plural of the kind: `releases`.
    pub plural: &'static str,
    before: String,
    after: String,
    /// Unless the change calls for no write.
    written: Option<String>,
    uid: String,
    distinct: bool,
    varied: bool,
    /// The type of the events of the change.
    pub(crate) event: &'static str,
    /// Whether each change waits for the write that follows the one before it.
    pub(crate) in_turn: bool,
    /// The maximum number of objects, whatever the number of other kinds.
    pub(crate) at_most: usize,
}

/// The folder of the fixtures.
#[must_use]
pub fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).with_extension("json")
}

impl Sample {
    /// Reads the files of this name.
    ///
    /// # Panics
    /// A file cannot be read.
    #[must_use]
    pub fn read(plural: &'static str) -> Self {
        Self::read_from(plural, plural)
    }

    /// Reads releases that a watcher has added.
    ///
    /// # Panics
    /// A file cannot be read.
    #[must_use]
    pub fn watched() -> Self {
        Self::read_from("releases", "watched")
    }

    fn read_from(plural: &'static str, file: &str) -> Self {
        let text = std::fs::read_to_string(fixture(file)).expect("a fixture");
        let mut versions: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        let after = versions.pop().expect("a version").to_string();
        let before = versions.pop().map_or_else(|| after.clone(), |before| before.to_string());
        let uid = serde_json::from_str::<Value>(&before).expect("JSON")["metadata"]["uid"]
            .as_str()
            .expect("a uid")
            .to_owned();
        let uid = uid.trim_end_matches("-child").to_owned();
        Self {
            plural,
            before,
            after,
            written: None,
            uid,
            distinct: false,
            varied: false,
            event: "MODIFIED",
            in_turn: false,
            at_most: usize::MAX,
        }
    }

    /// Reads releases that the tuned operator has written.
    ///
    /// # Panics
    /// A file cannot be read.
    #[must_use]
    pub fn by_hand() -> Self {
        Self::read_from("releases", "hand")
    }

    /// Makes the change one of the spec only. The operator writes the status that follows.
    ///
    /// # Panics
    /// The text is not JSON.
    #[must_use]
    pub fn unwritten(self) -> Self {
        let [before, mut changed] =
            [&self.before, &self.after].map(|text| -> Value { serde_json::from_str(text).expect("JSON") });
        changed["status"].clone_from(&before["status"]);
        Self { after: changed.to_string(), written: Some(self.after), ..self }
    }

    /// Makes the changes come one after the other, each after the write that follows the one before it. Versions only rise.
    #[must_use]
    pub fn in_turn(self) -> Self {
        Self { in_turn: true, ..self }
    }

    /// Makes the change a label.
    ///
    /// # Panics
    /// The text is not JSON.
    #[must_use]
    pub fn labelled(self) -> Self {
        let mut after: Value = serde_json::from_str(&self.before).expect("JSON");
        after["metadata"]["labels"]["team"] = Value::from("orders");
        Self { after: after.to_string(), ..self }
    }

    /// Makes the change a deletion.
    #[must_use]
    pub fn deleted(self) -> Self {
        Self { event: "DELETED", ..self }
    }

    /// Gives each object its own uid. The digest in its status is then outdated.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self { distinct: true, ..self }
    }

    /// Gives each object values that no other has, about 150 bytes: a cache that compresses objects finds them in none before.
    #[must_use]
    pub fn varied(self) -> Self {
        Self { varied: true, ..self }
    }

    /// Renders full objects of this kind of the core group, for a client that does not request metadata only.
    #[must_use]
    pub fn whole(self, kind: &str) -> Self {
        let of_kind = |text: String| {
            text.replace("\"meta.k8s.io/v1\"", "\"v1\"").replace("\"PartialObjectMetadata\"", &format!("\"{kind}\""))
        };
        Self { before: of_kind(self.before), after: of_kind(self.after), ..self }
    }

    /// Renders a single object, whatever the number of other kinds.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { at_most: 1, ..self }
    }

    /// Makes the change a status field of another writer.
    ///
    /// # Panics
    /// The text is not JSON.
    #[must_use]
    pub fn touched(self) -> Self {
        let mut after: Value = serde_json::from_str(&self.before).expect("JSON");
        after["status"]["stamp"] = Value::from("now");
        Self { after: after.to_string(), ..self }
    }

    /// Sets the number of entries of `managedFields` by repeating the existing ones.
    ///
    /// # Panics
    /// The text is not JSON.
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

    /// Makes the first object of its kind the owner of all.
    ///
    /// # Panics
    /// The text is not JSON.
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
        self.filled(if changed { &self.after } else { &self.before }, number, version)
    }

    /// The text of one object after the write that follows its change; `None` if nothing is written.
    pub(crate) fn written(&self, number: usize, version: usize) -> Option<String> {
        self.written.as_ref().map(|text| self.filled(text, number, version))
    }

    fn filled(&self, text: &str, number: usize, version: usize) -> String {
        let text = text.replace(NAME, &format!("release-{number:08}")).replace("\"RV\"", &format!("\"{version}\""));
        let text = text.replace(FIRST, NAME);
        let text = if self.varied { varied(&text, number) } else { text };
        if self.distinct { text.replace(&self.uid, &format!("{number:08}{}", &UID[8..])) } else { text }
    }

    /// The text of the object after the change, without `managedFields`.
    ///
    /// # Panics
    /// The text is not JSON.
    #[must_use]
    pub fn lean(&self) -> String {
        let mut object: Value = serde_json::from_str(&self.render(0, true, 1)).expect("JSON");
        object["metadata"].as_object_mut().expect("metadata").remove("managedFields");
        object.to_string()
    }

    /// The bytes of its JSON, and those of `managedFields`.
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

/// Replaces the revision, and adds to the names in the spec.
fn varied(text: &str, number: usize) -> String {
    let hex = |nth: u64| {
        let mixed = (number as u64 * 8 + nth + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!("{:016x}", (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9))
    };
    let revision = format!("{}{}{}", hex(0), hex(1), &hex(2)[..8]);
    text.replace(REVISION, &revision)
        .replace("/platform/payments", &format!("/platform/payments-{}{}", hex(3), hex(4)))
        .replace("overlays/production", &format!("overlays/{}", hex(5)))
        .replace("platform-configuration", &format!("configuration-{}", hex(6)))
        .replace("production-eu-west-1", &format!("production-{}", hex(7)))
}
