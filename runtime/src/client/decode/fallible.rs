//! Decoding that tolerates objects that do not fit their type, so that one invalid object does not affect the others.

use std::any::TypeId;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::Stream;
use kube::api::ObjectMeta;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_path_to_error::Track;

#[cfg(feature = "webhooks")]
use super::capacities::Capacities;
use super::exact_capacity::ExactCapacity;
use super::object_text::ObjectText;
use super::own_texts::OwnTexts;
use super::raw::Raw;
#[cfg(feature = "compact")]
use super::strip::keeping;
use super::strip::{decode, keeps_all, lean, whole};
use crate::kind::Kind;
use crate::kind::misfit::{caught, described, path};
use crate::pipeline::object::{Object, Primary};

/// An object of the reconciled kind, or its readable part. The [`Decoder`] determines the type.
#[derive(Clone, Debug)]
pub(crate) enum Decoded {
    /// The object, with its text if the decoder keeps texts.
    Valid(Arc<Object>, Option<Arc<str>>),
    Invalid(Invalid),
}

/// An object that does not fit its type.
#[derive(Clone, Debug)]
pub(crate) struct Invalid {
    pub(crate) meta: Box<ObjectMeta>,
    /// The path of the field, such as `spec.replicas`; empty if the error is not in one field.
    pub(crate) field: String,
    pub(crate) error: String,
}

/// The functions that decode objects of one type, and what our writes returned. Clones share the latter.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    /// The type of the objects.
    pub(crate) of: TypeId,
    guarded: for<'de> fn(Raw<'de>) -> serde_json::Result<Decoded>,
    exact: fn(&ObjectText, bool) -> serde_json::Result<Arc<Object>>,
    own: OwnTexts,
    /// Whether a decoded object comes with its text.
    keeps_texts: bool,
}

impl Decoder {
    pub(crate) fn of<K: Primary>() -> Self {
        let own = OwnTexts::default();
        Self { of: TypeId::of::<K>(), guarded: guarded::<K>, exact: exact::<K>, own, keeps_texts: false }
    }

    /// The same, with the text of each object of a watch.
    #[cfg(feature = "compact")]
    pub(crate) fn keeping_texts(self) -> Self {
        Self { keeps_texts: true, ..self }
    }

    /// Decodes the text of an object of a watch once more, `whole` or without the fields that no reconciler reads.
    ///
    /// # Errors
    /// The text is not an object.
    #[cfg(feature = "compact")]
    pub(crate) fn again(&self, text: &str, whole: bool) -> serde_json::Result<Decoded> {
        keeping(whole, || (self.guarded)(Raw::Text(text.into())))
    }

    /// Decodes the text of an object, as it is in the API response.
    ///
    /// # Errors
    /// The object does not fit the type.
    pub(crate) fn exact(&self, text: &str) -> serde_json::Result<Arc<Object>> {
        (self.exact)(&ObjectText::of(text, false), true)
    }

    /// Decodes the object that one of our writes returned, `whole` or without the fields that no reconciler reads. Its event, which has the
    /// same text, is not decoded again.
    ///
    /// # Errors
    /// The object does not fit the type.
    pub(crate) fn answer(&self, text: &str, whole: bool) -> serde_json::Result<Arc<Object>> {
        let text = ObjectText::of(text, !whole);
        let object = (self.exact)(&text, whole)?;
        self.own.put(text.text, &object);
        Ok(object)
    }

    /// The object in a tree, or its readable part, as from a watch.
    #[cfg(any(test, all(feature = "cli", feature = "dependents")))]
    pub(crate) fn read(&self, value: Value) -> serde_json::Result<Decoded> {
        (self.guarded)(Raw::Tree(value))
    }
}

tokio::task_local! {
    static DECODER: Option<Decoder>;
}

/// The events of a watch, whose objects this decoder decodes. A task-local value, as serde has no other way to pass it.
pub(crate) fn decoding<S: Stream>(decoder: Option<Decoder>, events: S) -> impl Stream<Item = S::Item> {
    let mut events = Box::pin(events);
    futures::stream::poll_fn(move |cx| DECODER.sync_scope(decoder.clone(), || events.as_mut().poll_next(cx)))
}

fn guarded<K: Primary>(raw: Raw<'_>) -> serde_json::Result<Decoded> {
    Ok(match sound::<K>(raw)? {
        Ok(object) => Decoded::Valid(Arc::new(object), None),
        Err(broken) => Decoded::Invalid(broken),
    })
}

fn exact<K: Primary>(text: &ObjectText, keeps_all: bool) -> serde_json::Result<Arc<Object>> {
    let mut json = serde_json::Deserializer::from_str(&text.text);
    let text_decoder = ExactCapacity::new(&mut json, &text.capacities);
    let object: K = if keeps_all { whole(text_decoder)? } else { lean(text_decoder)? };
    Ok(Arc::new(object))
}

impl<'de> Deserialize<'de> for Decoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let decoder = DECODER.try_with(Clone::clone).ok().flatten();
        let decoder = decoder.ok_or_else(|| D::Error::custom("no type to decode the object to"))?;
        let text = raw.text();
        let kept = text.filter(|_| decoder.keeps_texts).map(Arc::from);
        if let Some(object) = text.and_then(|text| decoder.own.take(text)) {
            return Ok(Self::Valid(object, kept));
        }
        match (decoder.guarded)(raw).map_err(D::Error::custom)? {
            Self::Valid(object, _) => Ok(Self::Valid(object, kept)),
            invalid @ Self::Invalid(_) => Ok(invalid),
        }
    }
}

/// Decodes the text of an object.
///
/// # Errors
/// The object does not fit the type. The message names the field, and does not contain its value.
#[cfg(feature = "webhooks")]
pub(crate) fn from_object_text<K: Kind>(text: &str) -> Result<K, String> {
    // The object is dropped soon, so the capacities of its lists do not matter.
    let shapes = Capacities::default();
    let text_decoder = || decode(ExactCapacity::new(&mut serde_json::Deserializer::from_str(text), &shapes));
    if let Ok(object) = caught(AssertUnwindSafe(text_decoder)) {
        return Ok(object);
    }
    match sound(Raw::Text(text.into())) {
        Ok(decoded) => decoded.map_err(|invalid| invalid.text()),
        Err(error) => Err(described("", &error.to_string())),
    }
}

/// The object, or its readable part.
fn sound<K: Kind>(raw: Raw<'_>) -> serde_json::Result<Result<K, Invalid>> {
    let raw = raw.counted(!keeps_all());
    if let Raw::Counted(text) = &raw
        && let Ok(object) = caught(AssertUnwindSafe(|| from_text::<K>(text)))
    {
        return Ok(Ok(object));
    }
    // Second attempt as a tree, which names the path of the invalid field.
    let (value, mut track) = (tree(raw)?, Track::new());
    let tracked = || K::deserialize(serde_path_to_error::Deserializer::new(&value, &mut track));
    match caught(AssertUnwindSafe(tracked)) {
        Ok(object) => Ok(Ok(object)),
        Err(error) => Ok(Err(invalid(&value, track, error)?)),
    }
}

/// The tree of an object. Not generic, as the next function: their code is compiled here, and not once more for each kind.
fn tree(raw: Raw<'_>) -> serde_json::Result<Value> {
    raw.tree().and_then(decode)
}

/// The readable part of an object.
fn invalid(object: &Value, track: Track, error: String) -> serde_json::Result<Invalid> {
    let meta = Box::new(ObjectMeta::deserialize(&object["metadata"])?);
    Ok(Invalid { meta, field: path(track), error })
}

/// Decodes a text, with exact capacities for lists.
fn from_text<K: Kind>(text: &ObjectText) -> serde_json::Result<K> {
    decode(ExactCapacity::new(&mut serde_json::Deserializer::from_str(&text.text), &text.capacities))
}

impl Decoded {
    pub(crate) fn metadata(&self) -> &ObjectMeta {
        match self {
            Self::Valid(object, _) => object.meta(),
            Self::Invalid(broken) => &broken.meta,
        }
    }

    pub(super) fn metadata_mut(&mut self) -> &mut ObjectMeta {
        match self {
            Self::Valid(object, _) => {
                if Arc::get_mut(object).is_none() {
                    *object = object.copy().into();
                }
                Arc::get_mut(object).expect("the copy is not shared yet").meta_mut()
            }
            Self::Invalid(broken) => &mut broken.meta,
        }
    }
}

impl Invalid {
    /// `spec.replicas: invalid type ..`.
    pub(crate) fn text(&self) -> String {
        described(&self.field, &self.error)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use kube::{CustomResource, ResourceExt};
    use schemars::JsonSchema;
    use serde::Serialize;
    use serde_json::json;

    use super::*;

    fn broken(object: Value) -> String {
        text_of::<Deployment>(object)
    }

    fn text_of<K: Kind>(object: Value) -> String {
        match sound::<K>(Raw::Tree(object)).unwrap() {
            Err(broken) => {
                assert_eq!(broken.meta.name.as_deref(), Some("app"));
                broken.text()
            }
            Ok(_) => panic!("decoded"),
        }
    }

    #[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
    #[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Part", namespaced)]
    #[serde(deny_unknown_fields)]
    struct PartSpec {
        size: u8,
        mode: Option<Mode>,
        #[serde(default)]
        sizes: std::collections::BTreeMap<String, Vec<u8>>,
        source: Option<Source>,
        rest: Option<Rest>,
    }

    #[derive(JsonSchema, Clone, Debug, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Fast,
        Slow { seconds: u8 },
    }

    #[derive(JsonSchema, Clone, Debug, Deserialize, Serialize)]
    #[serde(tag = "type", rename_all = "lowercase")]
    enum Source {
        Git { depth: u8 },
    }

    #[derive(JsonSchema, Clone, Debug, Deserialize, Serialize)]
    struct Rest {
        #[serde(flatten)]
        inner: Inner,
    }

    #[derive(JsonSchema, Clone, Debug, Deserialize, Serialize)]
    struct Inner {
        depth: u8,
    }

    fn part(spec: &Value) -> String {
        text_of::<Part>(json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Part", "metadata": { "name": "app" },
            "spec": spec }))
    }

    #[test]
    fn the_path_ends_at_the_field_that_is_wrong_or_holds_too_little() {
        for (spec, start) in [
            (json!({}), "spec: missing field `size`"),
            (json!(7), "spec: invalid type: integer `7`"),
            (json!({ "size": 1, "other": 2 }), "spec.other: unknown field `other`"),
            (json!({ "size": "x", "sizes": { "a": ["x"] } }), "spec.size: invalid type: string, expected u8"),
            (json!({ "size": 1, "sizes": { "a.b/c": [1, 300] } }), "spec.sizes.a.b/c.1: invalid value: integer `300`"),
            (json!({ "size": 1, "mode": "none" }), "spec.mode: unknown variant `none`"),
            (json!({ "size": 1, "mode": { "slow": { "seconds": 300 } } }), "spec.mode.slow.seconds: invalid value"),
            (json!({ "size": 1, "mode": { "slow": {} } }), "spec.mode.slow: missing field `seconds`"),
        ] {
            let text = part(&spec);
            assert!(text.starts_with(start), "{spec}: {text}");
        }
    }

    #[test]
    fn the_path_ends_at_a_type_whose_fields_serde_collects_first() {
        for (spec, start) in [
            (json!({ "size": 1, "source": { "type": "git", "depth": "x" } }), "spec.source: invalid type: string"),
            (json!({ "size": 1, "source": { "type": "git" } }), "spec.source: missing field `depth`"),
            (json!({ "size": 1, "rest": { "depth": "x" } }), "spec.rest: invalid type: string, expected u8"),
        ] {
            let text = part(&spec);
            assert!(text.starts_with(start), "{spec}: {text}");
        }
    }

    #[test]
    fn a_wrong_type_is_told_with_its_path() {
        let object = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "app" },
            "spec": { "paused": true, "replicas": "two", "selector": {}, "template": {} } });
        let text = broken(object);
        assert!(text.starts_with("spec.replicas: invalid type: string, expected i32"), "{text}");
    }

    #[test]
    fn a_wrong_item_of_a_list_is_told_with_its_place() {
        let object = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "app" },
            "spec": { "selector": {}, "template": { "spec": { "containers": [{ "name": "a" }, { "name": 1 }] } } } });
        let text = broken(object);
        assert!(text.starts_with("spec.template.spec.containers.1.name: invalid type"), "{text}");
    }

    #[test]
    fn managed_fields_are_not_kept() {
        let object = json!({ "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": { "name": "app", "managedFields": [{ "manager": "kubectl" }] } });
        let deployment = sound::<Deployment>(Raw::Tree(object)).unwrap().unwrap();
        assert_eq!(deployment.managed_fields(), []);
    }
}
