//! Which events of the reconciled kind wake, and which version is served.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::condition::Condition;
use crate::status::ObservedInputs;
use crate::status::StatusContract;

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Thing", namespaced, status = "ThingStatus")]
struct ThingSpec {
    size: u32,
}

/// The same kind, as another type.
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
struct ThingStatus {
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

fn filter() -> PrimaryPredicate {
    PrimaryPredicate {
        finalizer: FINALIZER.into(),
        request_annotation: "example.com/now",
        policy: Some("example.com/policy"),
        triggers: Triggers::ALL,
        claimed: Box::new(|_| Vec::new()),
        enabled_triggers: EnabledTriggers::default(),
        is_suspended: Box::new(|object| size(object) == 0),
        dependents: Dependents::default(),
    }
}

/// An object, with these changes to an observed one of generation 1.
fn thing(version: &str, change: &Value) -> Decoded {
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
        Decoded::Valid(thing) => thing,
        Decoded::Invalid(broken) => panic!("{}", broken.text()),
    }
}

/// A list that began after this write of ours, before which the watch had delivered nothing.
fn list(wrote: Option<&str>) -> Source<'_> {
    static NOTHING: Newest = Newest::NOTHING;
    Source::List { wrote, newest: &NOTHING }
}

fn key() -> Key {
    Key::new(Some("a"), "t")
}

/// What the change from the plain object wakes for.
fn woken(change: &Value) -> String {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    primary.apply(thing("2", change), &filter()).expect("a change").triggers.to_string()
}

#[test]
fn a_first_sight_wakes_and_an_unobserved_generation_is_told() {
    let first = |change| {
        Primary::new(Decoder::of::<Thing>()).apply(thing("1", &change), &filter()).unwrap().triggers.to_string()
    };
    assert_eq!(first(json!({})), "appeared");
    assert_eq!(first(json!({ "/status/observedGeneration": -1 })), "appeared,generation");
}

#[test]
fn each_change_wakes_for_its_cause_and_the_status_for_none() {
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
        assert_eq!(woken(&change), triggers, "{change}");
    }
}

#[test]
fn our_own_change_of_metadata_wakes_nobody() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    let claimed = json!({ "/metadata/annotations": { "claimed": "yes" } });
    primary.wrote(sound(thing("2", &claimed)));
    assert!(primary.apply(thing("2", &claimed), &filter()).unwrap().triggers.is_empty());
}

#[test]
fn our_own_write_is_served_until_the_watch_has_caught_up() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("9", &json!({})), &filter());
    primary.wrote(sound(thing("11", &json!({}))));
    let served = || primary.get(&key()).unwrap().meta().resource_version.clone().unwrap();
    assert_eq!(served(), "11");
    primary.apply(thing("10", &json!({})), &filter());
    assert_eq!((served().as_str(), primary.seen_version(&key()).as_deref()), ("11", Some("10")));
    primary.apply(thing("12", &json!({})), &filter());
    assert_eq!(served(), "12");
    primary.wrote(sound(thing("11", &json!({}))));
    assert_eq!(served(), "12", "a late response is older than the cache");
}

#[test]
fn an_own_write_of_a_recreated_object_is_not_served() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    primary.wrote(sound(thing("9", &json!({}))));
    primary.apply(thing("5", &json!({ "/metadata/uid": "another" })), &filter());
    assert_eq!(primary.get(&key()).unwrap().meta().uid.as_deref(), Some("another"));
    primary.remove(&key());
    primary.wrote(sound(thing("10", &json!({}))));
    assert!(primary.get(&key()).is_none(), "a write does not bring back what is gone");
}

#[test]
fn an_object_that_does_not_fit_is_not_served_and_comes_back_when_it_does() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    let broken = primary.apply(thing("2", &json!({ "/spec/size": "big" })), &filter());
    assert_eq!(broken.unwrap().triggers, TriggerSet::GENERATION, "its pass reports it");
    assert!(primary.get(&key()).is_none());
    assert_eq!(primary.apply(thing("3", &json!({})), &filter()).unwrap().triggers, TriggerSet::APPEARED);
}

#[test]
fn a_relist_finds_what_is_gone_in_its_own_namespace_only() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("1", &json!({})), &filter());
    assert_eq!(primary.apply(thing("1", &json!({})), &filter()), None, "the same version again");
    assert_eq!(primary.retain(Some("b"), &HashSet::new()), []);
    assert_eq!(
        primary.retain(Some("a"), &HashSet::new()),
        [CacheChange { key: key(), triggers: TriggerSet::DELETION }]
    );
}

#[test]
fn an_older_version_in_a_list_is_another_past_and_the_object_is_new() {
    let primary = Primary::new(Decoder::of::<Thing>());
    let listed = |version, written| primary.take(&key(), thing(version, &json!({})), &filter(), list(written));
    primary.apply(thing("9", &json!({})), &filter());
    assert_eq!(listed("4", None).unwrap().triggers, TriggerSet::APPEARED | TriggerSet::RESYNC);
    assert_eq!(primary.seen_version(&key()).unwrap(), "4");
    assert_eq!(listed("4", None), None, "nothing new");
}

#[test]
fn a_list_that_began_after_our_write_and_lacks_it_shows_that_it_is_lost() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("4", &json!({})), &filter());
    primary.wrote(sound(thing("9", &json!({}))));
    assert_eq!(primary.outstanding(Some("b")), HashMap::new());
    assert_eq!(primary.outstanding(Some("a")), HashMap::from([(key(), "9".to_owned())]));
    let listed = |written| primary.take(&key(), thing("4", &json!({})), &filter(), list(written));
    assert_eq!(listed(None), None, "the list began before the write");
    assert_eq!(primary.get(&key()).unwrap().meta().resource_version.as_deref(), Some("9"));
    assert_eq!(listed(Some("9")).unwrap().triggers, TriggerSet::APPEARED | TriggerSet::RESYNC);
    assert_eq!(primary.get(&key()).unwrap().meta().resource_version.as_deref(), Some("4"));
}

#[test]
fn another_change_of_the_same_version_is_of_another_past_and_the_object_is_new() {
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
fn an_object_that_is_listed_though_its_end_was_delivered_is_of_another_past() {
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
fn another_object_with_the_version_of_the_one_before_is_new() {
    let primary = Primary::new(Decoder::of::<Thing>());
    primary.apply(thing("4", &json!({})), &filter());
    let recreated = thing("4", &json!({ "/metadata/uid": "another" }));
    assert_eq!(primary.take(&key(), recreated, &filter(), list(None)).unwrap().triggers, TriggerSet::APPEARED);
}

#[test]
fn what_we_wrote_outlives_an_older_version_of_the_same_object() {
    let of = |version: &str, uid: &str| sound(thing(version, &json!({ "/metadata/uid": uid })));
    let outlives = |wrote: &str, seen: &str| outlives(&*of(wrote, "u"), &*of(seen, "u"));
    assert!(outlives("10", "9"));
    assert!(!outlives("9", "10") && !outlives("9", "9"));
    assert!(!outlives("b", "a") && !outlives("10", "a") && !outlives("b", "9"), "only numbers tell");
    assert!(!super::outlives(&*of("10", "u"), &*of("9", "another")), "another object has its own versions");
}

#[test]
fn the_keys_are_those_of_the_objects_that_fit_their_type() {
    let primary = Primary::new(Decoder::of::<Thing>());
    assert_eq!(primary.keys(), []);
    primary.apply(thing("1", &json!({})), &filter());
    assert_eq!(primary.keys(), [key()]);
    primary.apply(thing("2", &json!({ "/spec/size": "big" })), &filter());
    assert_eq!(primary.keys(), []);
}

#[tokio::test]
async fn two_types_of_one_kind_have_a_watch_each_and_one_type_has_one() {
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
