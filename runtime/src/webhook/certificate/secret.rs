//! The Secret that holds the certificates of all replicas.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use kube::api::ObjectMeta;

use super::names::Names;
use super::pair::Pair;
use super::rotation::State;

/// The operator whose certificates the Secret holds. A Secret without it is not touched.
const OPERATOR: &str = "evenkeel.dev/webhook-operator";
/// The host names and addresses of the certificates.
const SUBJECTS: &str = "evenkeel.dev/webhook-subjects";
/// When the certificate ends.
pub(crate) const EXPIRES: &str = "evenkeel.dev/webhook-expires";
const NEXT_EXPIRES: &str = "evenkeel.dev/webhook-next-expires";
const SPREAD_AT: &str = "evenkeel.dev/webhook-spread-at";
const SWITCHED_AT: &str = "evenkeel.dev/webhook-switched-at";

/// What a Secret holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The certificates.
    Usable(Box<State>),
    /// A Secret of this operator whose certificates cannot be used.
    Broken(String),
    /// A Secret of another program.
    Foreign,
}

/// Reads a Secret.
pub(super) fn read(secret: &Secret, names: &Names) -> Found {
    let annotation = |key: &str| secret.annotations().get(key).map(String::as_str);
    if annotation(OPERATOR) != Some(&names.operator) {
        return Found::Foreign;
    }
    let subjects: Vec<String> =
        annotation(SUBJECTS).into_iter().flat_map(str::split_whitespace).map(ToOwned::to_owned).collect();
    let pair = |[certificate, key]: [&str; 2], expires: &str| -> Result<Pair, String> {
        let missing = || format!("`{certificate}` or `{key}` is missing");
        let pair = Pair {
            certificate: text(secret, certificate).ok_or_else(missing)?,
            key: text(secret, key).ok_or_else(missing)?,
            expires: time(annotation(expires)).ok_or_else(|| format!("the annotation `{expires}` is no time"))?,
            subjects: subjects.clone(),
        };
        pair.certified()?;
        Ok(pair)
    };
    let current = match pair(["tls.crt", "tls.key"], EXPIRES) {
        Ok(current) => current,
        Err(why) => return Found::Broken(why),
    };
    Found::Usable(Box::new(State {
        current,
        // A broken next certificate is made again.
        next: pair(["next.crt", "next.key"], NEXT_EXPIRES).ok(),
        previous: text(secret, "previous.crt"),
        spread_at: time(annotation(SPREAD_AT)),
        switched_at: time(annotation(SWITCHED_AT)),
    }))
}

/// The Secret with these certificates. With `old`, it replaces exactly that version of it.
pub(super) fn write(state: &State, names: &Names, old: Option<&Secret>) -> Secret {
    let times = [
        (EXPIRES, Some(state.current.expires)),
        (NEXT_EXPIRES, state.next.as_ref().map(|next| next.expires)),
        (SPREAD_AT, state.spread_at),
        (SWITCHED_AT, state.switched_at),
    ];
    let mut annotations: BTreeMap<String, String> =
        times.into_iter().filter_map(|(key, time)| Some((key.to_owned(), time?.to_string()))).collect();
    annotations.insert(OPERATOR.to_owned(), names.operator.clone());
    annotations.insert(SUBJECTS.to_owned(), state.current.subjects.join(" "));
    let next = state.next.as_ref();
    let data = [
        ("tls.crt", Some(&state.current.certificate)),
        ("tls.key", Some(&state.current.key)),
        ("next.crt", next.map(|next| &next.certificate)),
        ("next.key", next.map(|next| &next.key)),
        ("previous.crt", state.previous.as_ref()),
    ];
    let bytes = |text: &String| ByteString(text.clone().into_bytes());
    let metadata = ObjectMeta {
        name: Some(names.secret()),
        namespace: Some(names.namespace.clone()),
        annotations: Some(annotations),
        labels: old.and_then(|old| old.metadata.labels.clone()),
        resource_version: old.and_then(ResourceExt::resource_version),
        uid: old.and_then(ResourceExt::uid),
        ..ObjectMeta::default()
    };
    let data = data.into_iter().filter_map(|(key, text)| Some((key.to_owned(), bytes(text?)))).collect();
    Secret { metadata, type_: Some("kubernetes.io/tls".to_owned()), data: Some(data), ..Secret::default() }
}

fn text(secret: &Secret, key: &str) -> Option<String> {
    String::from_utf8(secret.data.as_ref()?.get(key)?.0.clone()).ok()
}

fn time(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}
