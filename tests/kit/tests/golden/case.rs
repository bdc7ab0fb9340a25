//! The recorded cases: requests to a real API server and its responses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

/// The CRDs for `ensure: crd` steps.
pub(crate) type Fixtures = BTreeMap<String, Value>;

#[derive(Deserialize)]
struct Topic {
    cases: Vec<Case>,
}

/// One recorded conversation.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    /// The recording server: `modern` or `full`.
    pub(crate) server: String,
    pub(crate) steps: Vec<Step>,
}

impl Case {
    /// Includes the server, since the same id may be recorded on both.
    pub(crate) fn label(&self) -> String {
        format!("{}@{}", self.id, self.server)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Step {
    Watch(Watch),
    Collect(Collect),
    Ensure(Ensure),
    /// Relations between values that were not recorded; the conformance suite checks them, so there is nothing to replay.
    Facts {
        #[serde(rename = "facts")]
        _seen: Map<String, Value>,
    },
    Request(Request),
}

#[derive(Deserialize)]
pub(crate) struct Request {
    pub(crate) method: String,
    #[serde(flatten)]
    pub(crate) exchange: Exchange,
}

/// Opens a stream under a name; a later `collect` step reads it.
#[derive(Deserialize)]
pub(crate) struct Watch {
    pub(crate) watch: String,
    #[serde(flatten)]
    pub(crate) exchange: Exchange,
}

#[derive(Deserialize)]
pub(crate) struct Exchange {
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) query: BTreeMap<String, String>,
    /// A null value means that the header is not sent.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, Option<String>>,
    pub(crate) body: Option<Value>,
    pub(crate) user: Option<String>,
    pub(crate) response: Response,
}

#[derive(Deserialize)]
pub(crate) struct Response {
    pub(crate) status: u16,
    #[serde(default)]
    pub(crate) headers: Map<String, Value>,
    pub(crate) body: Option<Value>,
    #[serde(default, rename = "bodyAt")]
    pub(crate) body_at: Map<String, Value>,
}

#[derive(Deserialize)]
pub(crate) struct Collect {
    pub(crate) collect: String,
    pub(crate) events: Vec<Value>,
    pub(crate) ended: bool,
}

#[derive(Deserialize)]
pub(crate) struct Ensure {
    pub(crate) ensure: Existence,
    pub(crate) name: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Existence {
    Namespace,
    Crd,
    Established,
}

/// The directory of recorded cases next to the repository, if it exists.
pub(crate) fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let linked = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared");
    let named = std::env::var_os("EVENKEEL_SHARED").map(PathBuf::from);
    named
        .into_iter()
        .chain([beside(), linked()])
        .map(|folder| folder.join("cases/apiserver"))
        .find(|folder| folder.join("index.json").is_file())
}

/// The cases in the repository, which the recorder creates; see `record.rs`.
pub(crate) fn own() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// All cases in the order of recording, topic by topic, followed by those in the repository.
pub(crate) fn load(folder: &Path) -> (Vec<Case>, Fixtures) {
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let index: Vec<Value> = serde_json::from_slice(&read("index.json")).unwrap();
    let mut files: Vec<&str> = Vec::new();
    for file in index.iter().filter_map(|entry| entry["file"].as_str()) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let own = own().into_iter().map(|path| std::fs::read(path).unwrap());
    let topics = files.into_iter().map(read).chain(own);
    let cases = topics.flat_map(|topic| serde_json::from_slice::<Topic>(&topic).unwrap().cases).collect();
    (cases, fixtures(folder))
}

pub(crate) fn fixtures(folder: &Path) -> Fixtures {
    serde_json::from_slice(&std::fs::read(folder.join("fixtures.json")).unwrap()).unwrap()
}
