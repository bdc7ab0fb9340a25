//! Triggers of the events of the reconciled kind, and the served version.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::rollback::Newest;
use super::*;
use crate::condition::Condition;
use crate::leadership::{Leadership, ShardGates};
use crate::queue::Queue;
use crate::status::ObservedInputs;
use crate::status::StatusContract;
use crate::trigger::EnabledTriggers;
use crate::watch::dependency_map::Dependents;
use crate::watch::shared::SharedWatches;
use crate::wiring::triggers::Triggers;

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Thing", namespaced, status = "ThingStatus")]
pub(in crate::watch::primary) struct ThingSpec {
    size: u32,
}

/// The same kind as another type.
mod other {
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::ThingStatus;

    #[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
    #[kube(group = "example.com", version = "v1", kind = "Thing", namespaced, status = "ThingStatus")]
    pub(super) struct ThingSpec {
        size: String,
    }
}

#[derive(JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::watch::primary) struct ThingStatus {
    observed_generation: Option<i64>,
}

impl StatusContract for ThingStatus {
    type Draft = Self;

    fn observed_generation(&self) -> Option<i64> {
        self.observed_generation
    }

    fn conditions(&self) -> &[Condition] {
        &[]
    }

    fn observed_inputs(&self) -> Option<&ObservedInputs> {
        None
    }

    fn last_handled_reconcile_at(&self) -> Option<&str> {
        None
    }

    fn last_handled_actions(&self) -> Option<&std::collections::BTreeMap<String, String>> {
        None
    }
}

const FINALIZER: &str = "example.com/tester";

pub(in crate::watch::primary) fn filter() -> PrimaryPredicate {
    PrimaryPredicate {
        finalizers: vec![FINALIZER.into()],
        watcher: None,
        request_annotation: "example.com/now",
        policy: Some("example.com/policy"),
        triggers: Triggers::ALL,
        claimed: Box::new(|_| Vec::new()),
        enabled_triggers: EnabledTriggers::default(),
        is_suspended: Box::new(|object| size(object) == 0),
        is_selected: None,
        dependents: Dependents::default(),
        shard_gates: ShardGates::one(Leadership::open()),
    }
}

/// An observed object of generation 1, with these changes.
pub(super) fn thing(version: &str, change: &Value) -> Decoded {
    let mut object = json!({
        "apiVersion": "example.com/v1", "kind": "Thing", "spec": { "size": 1 }, "status": { "observedGeneration": 1 },
        "metadata": { "name": "t", "namespace": "a", "uid": "u", "generation": 1, "resourceVersion": version,
            "labels": { "a": "1", "b": "2" }, "finalizers": [FINALIZER, "example.com/other"] },
    });
    for (path, value) in change.as_object().into_iter().flatten() {
        *object
            .pointer_mut(path.rsplit_once('/').unwrap().0)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .entry(path.rsplit_once('/').unwrap().1)
            .or_insert(Value::Null) = value.clone();
    }
    Decoder::of::<Thing>().read(object).unwrap()
}

fn size(object: &Object) -> u32 {
    (object as &dyn std::any::Any).downcast_ref::<Thing>().unwrap().spec.size
}

fn sound(guarded: Decoded) -> Arc<Object> {
    match guarded {
        Decoded::Valid(thing, _) => thing,
        Decoded::Invalid(broken) => panic!("{}", broken.text()),
    }
}

/// A list that began after this write of ours and before the first event of the watch.
fn list(wrote: Option<&str>) -> Source<'_> {
    static NOTHING: Newest = Newest::NOTHING;
    Source::List { wrote, newest: &NOTHING }
}

pub(super) fn key() -> Key {
    Key::new(Some("a"), "t")
}

/// The triggers of a change to the plain object.
fn triggers_of(change: &Value) -> String {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    primary.apply(thing("2", change), &filter()).expect("a change").triggers.to_string()
}

#[test]
fn the_first_event_triggers_with_an_unobserved_generation() {
    let first = |change| {
        Primary::new(Decoder::of::<Thing>()).apply(thing("1", &change), &filter()).unwrap().triggers.to_string()
    };
    assert_eq!(first(json!({})), "appeared");
    assert_eq!(first(json!({ "/status/observedGeneration": -1 })), "appeared,generation");
}

#[test]
fn each_change_has_its_trigger_and_status_has_none() {
    let cases = [
        (json!({ "/metadata/generation": 2 }), "generation"),
        (json!({ "/metadata/labels": { "a": "1" } }), "labels"),
        (json!({ "/metadata/annotations": { "x": "y" } }), "annotations"),
        (json!({ "/spec/size": 0 }), "suspension"),
        (json!({ "/metadata/annotations": { "example.com/now": "" } }), "requested"),
        (json!({ "/metadata/annotations": { "kubectl.kubernetes.io/last-applied-configuration": "{}" } }), ""),
        (
            json!({ "/metadata/generation": 2, "/metadata/deletionTimestamp": "2024-01-01T00:00:00Z" }),
            "generation,deletion",
        ),
        (json!({ "/metadata/finalizers": ["example.com/other"] }), "finalizer"),
        (json!({ "/metadata/finalizers": [FINALIZER] }), ""),
        (json!({ "/status/observedGeneration": 7 }), ""),
        (json!({ "/metadata/managedFields": [{ "manager": "kubectl" }] }), ""),
        (json!({ "/metadata/uid": "another" }), "appeared"),
    ];
    for (change, triggers) in cases {
        assert_eq!(triggers_of(&change), triggers, "{change}");
    }
}

#[test]
fn our_own_metadata_change_triggers_nothing() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    let claimed = json!({ "/metadata/annotations": { "claimed": "yes" } });
    primary.wrote(&sound(thing("2", &claimed)));
    assert!(primary.apply(thing("2", &claimed), &filter()).unwrap().triggers.is_empty());
}

#[test]
fn our_own_write_is_served_until_the_watch_catches_up() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("9", &json!({})), &filter());
    primary.wrote(&sound(thing("11", &json!({}))));
    let served = || primary.get(&key()).unwrap().meta().resource_version.clone().unwrap();
    assert_eq!(served(), "11");
    primary.apply(thing("10", &json!({})), &filter());
    assert_eq!((served().as_str(), primary.seen_version(&key()).as_deref()), ("11", Some("10")));
    primary.apply(thing("12", &json!({})), &filter());
    assert_eq!(served(), "12");
    primary.wrote(&sound(thing("11", &json!({}))));
    assert_eq!(served(), "12", "a late response is older than the cache");
}

/// Otherwise a pass would run the steps of an object whose finalizer is already removed, and nothing would clean up after them.
#[test]
fn a_written_deletion_is_served_although_a_restore_lowered_its_version() {
    let primary = Primary::new(Decoder::of::<Thing>());
    let deleted = |version, uid| {
        let change = json!({ "/metadata/deletionTimestamp": "2026-01-01T00:00:00Z", "/metadata/uid": uid });
        sound(thing(version, &change))
    };
    let is_served = || primary.get(&key()).unwrap().meta().deletion_timestamp.is_some();
    primary.apply(thing("90", &json!({})), &filter());
    primary.wrote(&sound(thing("91", &json!({}))));
    primary.wrote(&deleted("20", "another"));
    assert!(!is_served(), "another object of this name");
    primary.wrote(&deleted("20", "u"));
    assert!(is_served());
    primary.wrote(&deleted("19", "u"));
    assert_eq!(primary.get(&key()).unwrap().resource_version(), "20", "an earlier response");
    primary.take(&key(), thing("15", &json!({})), &filter(), list(Some("20")));
    assert!(!is_served(), "the list shows that a second restore undid the deletion");
}

#[test]
fn an_own_write_of_a_recreated_object_is_not_served() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    primary.wrote(&sound(thing("9", &json!({}))));
    primary.apply(thing("5", &json!({ "/metadata/uid": "another" })), &filter());
    assert_eq!(primary.get(&key()).unwrap().meta().uid.as_deref(), Some("another"));
    primary.remove(&key());
    primary.wrote(&sound(thing("10", &json!({}))));
    assert!(primary.get(&key()).is_none(), "a write does not bring back what is gone");
}

#[test]
fn an_invalid_object_is_not_served_until_it_is_valid() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    let broken = primary.apply(thing("2", &json!({ "/spec/size": "big" })), &filter());
    assert_eq!(broken.unwrap().triggers, TriggerSet::GENERATION, "its pass reports it");
    assert!(primary.get(&key()).is_none());
    assert_eq!(primary.apply(thing("3", &json!({})), &filter()).unwrap().triggers, TriggerSet::APPEARED);
}

fn area(namespace: &str) -> Area {
    Area { namespace: Some(namespace.into()), shard: None }
}

#[test]
fn a_relist_finds_deletions_only_in_its_namespace() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    assert_eq!(primary.apply(thing("1", &json!({})), &filter()), None, "the same version again");
    assert_eq!(primary.retain(&area("b"), &HashSet::new(), &filter()), []);
    assert_eq!(
        primary.retain(&area("a"), &HashSet::new(), &filter()),
        [CacheChange { key: key(), triggers: TriggerSet::DELETION }]
    );
}

#[test]
fn an_older_version_in_a_list_appears_as_new() {
    let primary = Primary::new(Decoder::of::<Thing>());
    let listed = |version, written| primary.take(&key(), thing(version, &json!({})), &filter(), list(written));
    primary.apply(thing("9", &json!({})), &filter());
    assert_eq!(listed("4", None).unwrap().triggers, TriggerSet::APPEARED | TriggerSet::RESYNC);
    assert_eq!(primary.seen_version(&key()).unwrap(), "4");
    assert_eq!(listed("4", None), None, "nothing new");
}

#[test]
fn a_later_list_without_our_write_shows_its_loss() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("4", &json!({})), &filter());
    primary.wrote(&sound(thing("9", &json!({}))));
    assert_eq!(primary.outstanding(&area("b")), HashMap::new());
    assert_eq!(primary.outstanding(&area("a")), HashMap::from([(key(), "9".to_owned())]));
    let listed = |written| primary.take(&key(), thing("4", &json!({})), &filter(), list(written));
    assert_eq!(listed(None), None, "the list began before the write");
    assert_eq!(primary.get(&key()).unwrap().meta().resource_version.as_deref(), Some("9"));
    assert_eq!(listed(Some("9")).unwrap().triggers, TriggerSet::APPEARED | TriggerSet::RESYNC);
    assert_eq!(primary.get(&key()).unwrap().meta().resource_version.as_deref(), Some("4"));
}

#[test]
fn a_different_object_of_equal_version_appears_as_new() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("4", &json!({})), &filter());
    let changed = || thing("4", &json!({ "/metadata/generation": 2 }));
    assert_eq!(
        primary.take(&key(), changed(), &filter(), list(None)).unwrap().triggers.to_string(),
        "appeared,generation,resync"
    );
    assert_eq!(primary.take(&key(), changed(), &filter(), list(None)), None, "nothing new");
}

#[test]
fn an_object_listed_after_its_deletion_was_restored() {
    let (primary, mut newest) = (Primary::new(Decoder::of::<Thing>()), Newest::default());
    newest.raise("7");
    newest.raise("5");
    let triggers = |version| {
        let source = Source::List { wrote: None, newest: &newest };
        let change = primary.take(&key(), thing(version, &json!({})), &filter(), source);
        primary.remove(&key());
        change.unwrap().triggers
    };
    assert_eq!(triggers("7"), TriggerSet::APPEARED | TriggerSet::RESYNC);
    assert_eq!(triggers("8"), TriggerSet::APPEARED, "it was created while nothing was delivered");
}

#[test]
fn another_uid_with_the_same_version_appears_as_new() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("4", &json!({})), &filter());
    let recreated = thing("4", &json!({ "/metadata/uid": "another" }));
    assert_eq!(primary.take(&key(), recreated, &filter(), list(None)).unwrap().triggers, TriggerSet::APPEARED);
}

#[test]
fn our_write_outlives_an_older_version_of_the_object() {
    let of = |version: &str, uid: &str| sound(thing(version, &json!({ "/metadata/uid": uid })));
    let outlives = |wrote: &str, seen: &str| outlives(&*of(wrote, "u"), &*of(seen, "u"));
    assert!(outlives("10", "9"));
    assert!(!outlives("9", "10") && !outlives("9", "9"));
    assert!(!outlives("b", "a") && !outlives("10", "a") && !outlives("b", "9"), "only numbers are compared");
    assert!(!super::outlives(&*of("10", "u"), &*of("9", "another")), "another object has its own versions");
}

#[test]
fn keys_lists_only_valid_objects() {
    let primary = Primary::new(Decoder::of::<Thing>());
    assert_eq!(primary.keys(), []);
    primary.apply(thing("1", &json!({})), &filter());
    assert_eq!(primary.keys(), [key()]);
    primary.apply(thing("2", &json!({ "/spec/size": "big" })), &filter());
    assert_eq!(primary.keys(), []);
}

#[tokio::test]
async fn each_rust_type_of_a_kind_has_one_watch() {
    let service = tower::service_fn(|_: http::Request<kube::client::Body>| {
        std::future::pending::<Result<http::Response<kube::client::Body>, std::convert::Infallible>>()
    });
    let client = kube::Client::new(service, "default");
    let watches = SharedWatches::new(client, crate::watch::Health::default(), crate::watch::Streaming::default());
    let place = crate::watch::Scope::default().place(&crate::wiring::KindInfo::of::<Thing>(), None);
    for (decoder, feeds) in
        [(Decoder::of::<Thing>(), 1), (Decoder::of::<Thing>(), 1), (Decoder::of::<other::Thing>(), 2)]
    {
        Primary::new(decoder).join(&watches, &place, Arc::new(filter()), Queue::default());
        assert_eq!(watches.feeds(), feeds);
    }
}
