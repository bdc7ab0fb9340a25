//! Children that another client changes and an operator repairs, with all versions rendered in advance.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;
use serde_json::Value;

/// One child in all its versions: as listed, then in turns changed and repaired.
struct Versions {
    objects: Vec<Bytes>,
    events: Vec<Bytes>,
    now: AtomicUsize,
}

/// The children of one kind, by name.
pub struct Repairs {
    plural: String,
    children: HashMap<String, Versions>,
}

/// The metadata of an object, as the API server sends it to a client that requests nothing else.
#[must_use]
pub fn metadata_only(object: &Value) -> Value {
    let metadata = &object["metadata"];
    serde_json::json!({ "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": metadata })
}

impl Repairs {
    /// Renders these children. Each is changed and repaired this many times, with later versions than that of any object. `form`: what watches
    /// receive of an object.
    ///
    /// # Panics
    /// A child has no name.
    #[must_use]
    pub fn render(
        plural: &str,
        children: &[Value],
        newest: usize,
        times: usize,
        form: impl Fn(&Value) -> Value,
    ) -> Self {
        let versions = |(at, child): (usize, &Value)| {
            let name = child["metadata"]["name"].as_str().expect("a name").to_owned();
            let version = |turn: usize| {
                let mut object = child.clone();
                if turn % 2 == 1 {
                    object["data"]["revision"] = Value::from("changed by another client");
                }
                if turn > 0 {
                    // Those of one turn of all children come before those of the next.
                    let version =
                        newest + (turn.div_ceil(2) * children.len() + at) * 2 + usize::from(turn.is_multiple_of(2));
                    object["metadata"]["resourceVersion"] = Value::from(version.to_string());
                }
                object
            };
            let objects: Vec<Value> = (0..=2 * times).map(version).collect();
            let event = |object| Bytes::from(format!("{{\"type\":\"MODIFIED\",\"object\":{}}}\n", form(object)));
            let events: Vec<Bytes> = objects.iter().map(event).collect();
            let objects: Vec<Bytes> = objects.iter().map(|object| Bytes::from(object.to_string())).collect();
            // The first clone of a text allocates its reference count.
            events.iter().chain(&objects).for_each(|text| drop(text.clone()));
            (name, Versions { objects, events, now: AtomicUsize::default() })
        };
        Self { plural: plural.to_owned(), children: children.iter().enumerate().map(versions).collect() }
    }

    /// Changes a child like another client. Returns the event.
    ///
    /// # Panics
    /// The child was not repaired, or has no further version.
    pub(crate) fn change(&self, name: &str) -> &Bytes {
        let child = &self.children[name];
        let before = child.now.fetch_add(1, Relaxed);
        assert!(before.is_multiple_of(2), "{name} was not repaired");
        &child.events[before + 1]
    }

    /// The child of this path, and its event if this write repairs it.
    pub(crate) fn request(&self, path: &str, writes: bool) -> Option<(&Bytes, Option<&Bytes>)> {
        let (parent, name) = path.rsplit_once('/')?;
        let child = self.children.get(name).filter(|_| parent.ends_with(&self.plural))?;
        let now = child.now.load(Relaxed);
        let repaired = (writes && now % 2 == 1).then(|| child.now.fetch_add(1, Relaxed) + 1);
        Some((&child.objects[repaired.unwrap_or(now)], repaired.map(|now| &child.events[now])))
    }
}
