//! The relations to other kinds in the wiring.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;

use super::super::owned::Counts;
use super::*;
use crate::watch::{Health, Streaming};
use crate::wiring::Relation;
use crate::wiring::StepWiring;
use crate::wiring::index::Indexer;
use crate::wiring::index::{Index, indexer};

const MAPS: Option<fn() -> KindInfo> = Some(KindInfo::of::<ConfigMap>);
const SECRETS: Option<fn() -> KindInfo> = Some(KindInfo::of::<Secret>);

const fn step(relations: &'static [Relation]) -> StepWiring {
    StepWiring { relations, ..StepWiring::EMPTY }
}

const fn wiring(steps: &'static [StepWiring]) -> Wiring {
    Wiring { steps, ..Wiring::EMPTY }
}

#[test]
fn a_kind_is_declared_once_with_its_largest_cache() {
    const STEPS: &[StepWiring] = &[
        step(&[Relation::new(How::Owns, MAPS), Relation::new(How::WatchesByName, SECRETS).cached(Cache::Metadata)]),
        step(&[Relation::new(How::Owns, MAPS).cached(Cache::Metadata), Relation::new(How::Owns, SECRETS)]),
        step(&[Relation::new(How::Owns, MAPS), Relation::new(How::Owns, None)]),
    ];
    let (maps, secrets) = (KindInfo::of::<ConfigMap>(), KindInfo::of::<Secret>());
    let owned = declared(&wiring(STEPS), |how| how == How::Owns);
    assert_eq!(owned, [(maps, How::Owns, Cache::Metadata), (secrets.clone(), How::Owns, Cache::None)]);
    let all = declared(&wiring(STEPS), |_| true);
    assert_eq!(all.len(), 3);
    assert_eq!(all[1], (secrets, How::WatchesByName, Cache::Metadata));
}

#[test]
fn only_the_generation_of_an_unread_owned_kind_counts() {
    const READ: &[StepWiring] = &[step(&[Relation::new(How::Owns, MAPS), Relation::new(How::Reads, SECRETS)])];
    let counts = |kind: KindInfo, cache| counts(&wiring(READ), &kind, cache);
    assert_eq!(counts(KindInfo::of::<ConfigMap>(), Cache::None), Counts::Generation, "another kind is read");
    for cache in [Cache::Metadata, Cache::Full] {
        assert_eq!(counts(KindInfo::of::<ConfigMap>(), cache), Counts::VersionRecord);
    }
    assert_eq!(counts(KindInfo::of::<Secret>(), Cache::None), Counts::VersionRecord);
}

macro_rules! index {
    ($Index:ident, $name:literal) => {
        struct $Index;
        impl Index for $Index {
            const NAME: &'static str = $name;
            type Object = ConfigMap;
            fn keys(_: &ConfigMap) -> Vec<String> {
                Vec::new()
            }
        }
    };
}

index!(ByData, "by-data");
index!(ByLabel, "by-label");

const BY_DATA: Indexer = indexer::<ByData, ConfigMap>();
const BY_LABEL: Indexer = indexer::<ByLabel, ConfigMap>();

#[test]
fn a_selection_has_each_index_once() {
    const MINE: How = How::WatchesLabels("mine");
    const STEPS: &[StepWiring] = &[
        step(&[Relation::new(MINE, MAPS).indexed(&[BY_DATA])]),
        step(&[Relation::new(MINE, MAPS).indexed(&[BY_DATA, BY_LABEL])]),
        step(&[Relation::new(How::WatchesLabels("other"), MAPS).indexed(&[BY_DATA])]),
        step(&[Relation::new(MINE, SECRETS)]),
    ];
    let names = |kind: KindInfo, selector| {
        let mut names: Vec<_> = indexers(&wiring(STEPS), &kind, selector).iter().map(|index| index.name()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(KindInfo::of::<ConfigMap>(), "mine"), ["by-data", "by-label"]);
    assert_eq!(names(KindInfo::of::<ConfigMap>(), "other"), ["by-data"]);
    assert_eq!(names(KindInfo::of::<Secret>(), "mine"), [""; 0]);
}

/// Steps that watch Secrets and ConfigMaps by labels, with a server that responds to every list with one Secret.
fn selecting() -> (SharedWatches, RelatedCaches) {
    const STEPS: &[StepWiring] = &[step(&[
        Relation::new(How::WatchesLabels("mine"), SECRETS),
        Relation::new(How::WatchesLabels("other"), MAPS),
    ])];
    let service = tower::service_fn(|request: http::Request<kube::client::Body>| async move {
        if request.uri().query().unwrap_or_default().contains("watch=true") {
            std::future::pending::<()>().await;
        }
        let secret = json!({ "apiVersion": "v1", "kind": "Secret",
            "metadata": { "namespace": "a", "name": "x", "uid": "u", "resourceVersion": "5" } });
        let list = json!({ "apiVersion": "v1", "kind": "SecretList", "metadata": { "resourceVersion": "7" }, "items": [secret] });
        Ok::<_, std::convert::Infallible>(http::Response::new(kube::client::Body::from(list.to_string().into_bytes())))
    });
    let watches = SharedWatches::new(kube::Client::new(service, "default"), Health::default(), Streaming::default());
    let owner = KindInfo::of::<ConfigMap>();
    let wiring: &'static Wiring = Box::leak(Box::new(wiring(STEPS)));
    let relations = RelatedCaches::new(
        &watches,
        (wiring, &OperatorNames::new("tester")),
        owner,
        Scope::default(),
        Queue::default(),
    );
    (watches, relations)
}

fn secret(name: &str) -> Target {
    Target { kind: KindInfo::of::<Secret>(), namespace: Some("a".into()), name: name.into() }
}

#[tokio::test]
async fn an_object_is_read_from_its_kind_and_selector_watch() {
    let (watches, relations) = selecting();
    let _started = watches.start();
    let subscriber = Key::new(Some("a"), "w");
    assert!(relations.labelled(&subscriber, "mine", &secret("x")).await.unwrap().is_some());
    assert!(relations.selected("mine", &secret("x")).is_some());
    assert!(relations.selected("mine", &secret("y")).is_none());
    assert!(relations.labelled(&subscriber, "other", &secret("x")).await.is_err(), "no step selects Secrets so");
    let map = Target { kind: KindInfo::of::<ConfigMap>(), ..secret("x") };
    assert!(relations.labelled(&subscriber, "mine", &map).await.is_err());
}

#[tokio::test]
async fn a_kind_is_watched_if_a_step_watches_it() {
    let (_, relations) = selecting();
    assert!(relations.is_watched(&KindInfo::of::<Secret>()));
    assert!(!relations.is_watched(&KindInfo::of::<k8s_openapi::api::core::v1::Pod>()));
    assert_eq!(relations.lists().len(), 2, "one for each selection");
}

#[tokio::test]
async fn an_ended_watch_is_reported_with_its_target() {
    let (watches, _) = selecting();
    let mut started = watches.start();
    started.abort();
    let (name, _) = started.ended().await;
    assert!(["secrets with labels mine", "configmaps with labels other"].contains(&&*name), "{name}");
}
