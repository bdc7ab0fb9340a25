//! The objects that our writes returned.

use std::sync::Arc;

use kube::api::DynamicObject;
use memchr::memmem;

use super::Primary;
use crate::pipeline::object::Object;
use crate::queue::Key;

impl Primary {
    /// The object that one of our writes returned, as its text. It is decoded unless the watch has delivered it before.
    ///
    /// # Errors
    /// The object does not fit the type.
    pub(crate) fn answered(&self, key: &Key, uid: &str, text: &str, whole: bool) -> serde_json::Result<Arc<Object>> {
        let version = version_in(text);
        let is_it = |seen: &&Arc<Object>| seen.uid() == uid && version == Some(seen.resource_version());
        let seen = self.lock().get(key).and_then(|held| held.seen().filter(is_it).cloned());
        seen.map_or_else(|| self.decoder.answer(text, whole), Ok)
    }

    /// Records an object that one of our writes returned. Returns it as the cache holds it.
    pub(crate) fn take_written(&self, object: Arc<Object>) -> Arc<Object> {
        let object = self.reduced(object);
        self.wrote(&object);
        object
    }

    /// Decodes and records the response to one of our writes. `None` if it cannot be decoded.
    pub(crate) fn take_answer(&self, written: &DynamicObject) -> Option<Arc<Object>> {
        match serde_json::to_string(written).and_then(|written| self.decoder.exact(&written)) {
            Ok(object) => Some(self.take_written(object)),
            Err(error) => {
                tracing::warn!(%error, "the response of the API server cannot be decoded; waiting for the watch");
                None
            }
        }
    }

    /// Records an object that one of our writes returned. It is served until the watch delivers that version or a newer one.
    pub(crate) fn wrote(&self, object: &Arc<Object>) {
        // An object that is not in the cache has been deleted, since our writes create no objects of this kind.
        let key = Key::of(object.meta());
        self.lock().update(&key, |held| held.take_written(object.clone()));
    }
}

/// The resourceVersion in the text of an object, unless it has several fields of this name.
fn version_in(text: &str) -> Option<&str> {
    const NAME: &str = "\"resourceVersion\"";
    let at = memmem::find(text.as_bytes(), NAME.as_bytes())?;
    let (version, rest) = text[at + NAME.len()..].strip_prefix(":\"")?.split_once('"')?;
    memmem::find(rest.as_bytes(), NAME.as_bytes()).is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_only_if_there_is_one() {
        assert_eq!(version_in(r#"{"metadata":{"name":"a","resourceVersion":"5"},"spec":{}}"#), Some("5"));
        assert_eq!(
            version_in(r#"{"metadata":{"annotations":{"x":"{\"resourceVersion\":\"4\"}"},"resourceVersion":"5"}}"#),
            Some("5")
        );
        assert_eq!(version_in(r#"{"metadata":{"labels":{"resourceVersion":"4"},"resourceVersion":"5"}}"#), None);
        assert_eq!(version_in(r#"{"metadata":{"name":"a"}}"#), None);
    }
}
