//! The expected state of objects, ConfigMaps and files, compared with the actual state.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DynamicObject, ListParams};
use kube::core::ApiResource;
use kube::{Client, ResourceExt};
use serde_json::{Value, json};

use crate::operator::Parcel;

/// The Secret that some parcels read.
pub const SECRET: &str = "shared";

/// The intended state of a parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Its text.
    pub text: String,
    /// Whether it adds the text of the Secret.
    pub reads: bool,
    /// The behaviour of its body.
    pub act: Option<&'static str>,
}

impl Wish {
    /// The parcel at this index: some read the Secret, some are invalid.
    pub fn at(place: usize, text: &str) -> Self {
        let act = (place % 10 == 3).then_some("invalid");
        Self { text: text.to_owned(), reads: place.is_multiple_of(5), act }
    }

    /// The spec of such a parcel.
    pub fn spec(&self) -> Value {
        let mut spec = json!({ "text": self.text });
        if self.reads {
            spec["secret"] = json!(SECRET);
        }
        if let Some(act) = self.act {
            spec["act"] = json!(act);
        }
        spec
    }

    /// The content of its ConfigMap and file; `None` if its body fails before it writes them.
    fn stored(&self, secret: &str) -> Option<String> {
        match self.act {
            Some("invalid" | "panic") => None,
            _ if self.reads => Some(format!("{} {secret}", self.text)),
            _ => Some(self.text.clone()),
        }
    }
}

/// The expected state.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// The parcels by name.
    pub parcels: BTreeMap<String, Wish>,
    /// The content of the Secret.
    pub secret: String,
    /// Parcels that were lost with a store. The files of passes that were running at that moment stay.
    pub lost: BTreeSet<String>,
}

/// The actual state.
struct Found {
    parcels: BTreeMap<String, DynamicObject>,
    maps: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
}

impl Truth {
    /// The differences, one per line; empty if everything is correct.
    pub async fn wrong(&self, client: &Client, folder: &Path) -> Vec<String> {
        match Found::look(client, folder).await {
            Ok(found) => self.compare(found),
            Err(error) => vec![format!("the server does not answer: {error}")],
        }
    }

    fn compare(&self, mut found: Found) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, wish) in &self.parcels {
            let stored = wish.stored(&self.secret);
            let (map, file) = (found.maps.remove(name), found.files.remove(name));
            let ill = match found.parcels.remove(name) {
                None => Some("the server has lost it".to_owned()),
                Some(parcel) => ill(&parcel, wish, stored.as_deref()),
            };
            wrong.extend(ill.map(|ill| format!("{name}: {ill}")));
            // The result of an earlier text stays when a body fails.
            if stored.is_some() && map != stored {
                wrong.push(format!("{name}: its ConfigMap holds {map:?} instead of {stored:?}"));
            }
            if stored.is_some() && file != stored {
                wrong.push(format!("{name}: its file holds {file:?} instead of {stored:?}"));
            }
        }
        wrong.extend(found.parcels.keys().map(|name| format!("{name} is not deleted")));
        wrong.extend(found.maps.keys().map(|name| format!("the ConfigMap {name} is left over")));
        let files = found.files.keys().filter(|name| !self.lost.contains(*name));
        wrong.extend(files.map(|name| format!("the file {name} is left over")));
        wrong
    }
}

impl Found {
    async fn look(client: &Client, folder: &Path) -> kube::Result<Self> {
        let every = ListParams::default();
        let kind = ApiResource::erase::<Parcel>(&());
        let parcels: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &kind);
        let parcels = parcels.list(&every).await?.items.into_iter().map(|parcel| (parcel.name_any(), parcel)).collect();
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let maps = maps.list(&every).await?.items.into_iter().filter(|map| map.name_any() != "kube-root-ca.crt");
        let maps = maps.map(|map| (map.name_any(), text(&map))).collect();
        Ok(Self { parcels, maps, files: files(folder) })
    }
}

fn text(map: &ConfigMap) -> String {
    map.data.as_ref().and_then(|data| data.get("text")).cloned().unwrap_or_default()
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).unwrap().filter_map(Result::ok);
    let content = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    files.map(|file| (file.file_name().to_string_lossy().into_owned(), content(&file.path()))).collect()
}

/// The part of the parcel's status that does not match its spec.
fn ill(parcel: &DynamicObject, wish: &Wish, stored: Option<&str>) -> Option<String> {
    let status = &parcel.data["status"];
    let is = |type_: &str| {
        let conditions = status["conditions"].as_array();
        let found = conditions.into_iter().flatten().find(|condition| condition["type"] == type_);
        found.map_or(&Value::Null, |condition| &condition["status"]).as_str().unwrap_or_default().to_owned()
    };
    if parcel.metadata.deletion_timestamp.is_some() {
        return Some("it is being deleted".into());
    }
    // A panic is retried, so its generation is not recorded.
    if wish.act != Some("panic") && status["observedGeneration"].as_i64() != parcel.metadata.generation {
        return Some(format!("generation {:?} is not observed: {status}", parcel.metadata.generation));
    }
    let [ready, stalled] = match wish.act {
        Some("invalid") => ["False", "True"],
        Some("panic") => ["False", ""],
        _ => ["True", ""],
    };
    if is("Ready") != ready || is("Stalled") != stalled {
        return Some(format!("Ready should be `{ready}` and Stalled `{stalled}`: {status}"));
    }
    stored
        .filter(|stored| status["stored"] != *stored)
        .map(|stored| format!("{stored:?} is not in its status: {status}"))
}
