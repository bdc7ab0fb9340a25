//! Events of owned objects that enqueue the owner.

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use super::*;

const OWNER: &str = "GitRepository";

fn owner() -> KindInfo {
    let resource = Arc::new(kube::core::ApiResource {
        group: "source.example.com".into(),
        version: "v1".into(),
        api_version: "source.example.com/v1".into(),
        kind: OWNER.into(),
        plural: "gitrepositories".into(),
    });
    KindInfo { resource, namespaced: true }
}

fn children() -> Children {
    Children::new(owner(), vec![(KindInfo::of::<ConfigMap>(), Cache::None)], vec![Counts::Generation])
}

fn target() -> Target {
    Target { kind: KindInfo::of::<ConfigMap>(), namespace: Some("a".into()), name: "child".into() }
}

/// A version of the child, owned by the repository of that name.
fn child(version: &str, owner: &str) -> ObjectMeta {
    serde_json::from_value(json!({
        "namespace": "a", "name": "child", "uid": "c", "resourceVersion": version,
        "ownerReferences": [{ "apiVersion": "source.example.com/v1beta1", "kind": OWNER, "name": owner, "uid": format!("uid-{owner}"),
            "controller": true }],
    }))
    .unwrap()
}

fn repo(name: &str) -> Vec<Key> {
    vec![Key::new(Some("a"), name)]
}

fn whole(version: &str) -> Arc<DynamicObject> {
    let data = json!({ "data": { "a": version } });
    Arc::new(DynamicObject { types: None, metadata: child(version, "one"), data })
}

fn seen(version: &str) -> ObjectVersion {
    ObjectVersion::of_meta(&target(), &child(version, "one"))
}

#[test]
fn a_repeated_version_does_not_trigger_the_owner() {
    let children = children();
    assert_eq!(children.apply(0, &child("1", "one"), None), repo("one"));
    assert_eq!(children.apply(0, &child("1", "one"), None), []);
    assert_eq!(children.apply(0, &child("2", "one"), None), repo("one"));
    assert_eq!(children.remove(0, &Key::new(Some("a"), "child")), repo("one"));
    assert_eq!(children.of("uid-one"), []);
}

#[test]
fn deletion_after_an_early_response_triggers_the_owner() {
    let children = children();
    children.begin(&target(), "uid-one");
    children.wrote(&seen("5"), &whole("5"), &repo("one")[0]);
    assert_eq!(children.end(&target()), []);
    assert_eq!(children.apply(0, &child("5", "one"), None), [], "our own write");
    assert_eq!(children.remove(0, &Key::new(Some("a"), "child")), repo("one"));
}

#[test]
fn deletion_of_an_undelivered_child_triggers_its_owner() {
    let children = children();
    children.begin(&target(), "uid-one");
    children.wrote(&seen("5"), &whole("5"), &repo("one")[0]);
    assert_eq!(children.end(&target()), []);
    assert_eq!(children.retain(0, None, &HashSet::new()), repo("one"), "the first list comes when it has gone");
    assert_eq!((children.get(&target()), children.of("uid-one")), (None, Vec::new()));
}

#[test]
fn a_child_deleted_before_its_write_returns_is_gone() {
    let children = children();
    children.apply(0, &child("4", "one"), None);
    children.begin(&target(), "uid-one");
    assert_eq!(children.apply(0, &child("5", "one"), None), []);
    assert_eq!(children.remove(0, &Key::new(Some("a"), "child")), repo("one"));
    children.wrote(&seen("5"), &whole("5"), &repo("one")[0]);
    assert_eq!((children.get(&target()), children.of("uid-one")), (None, Vec::new()));
    children.end(&target());
    assert!(children.0.records.lock().writes.is_empty(), "nothing is left behind");
}

#[test]
fn a_child_recreated_before_our_delete_returns_is_alive() {
    let again = ObjectMeta { uid: Some("d".into()), ..child("7", "one") };
    let children = children();
    children.apply(0, &child("4", "one"), None);
    children.begin(&target(), "uid-one");
    children.remove(0, &Key::new(Some("a"), "child"));
    children.apply(0, &again, None);
    children.deleted(&target());
    children.end(&target());
    assert_eq!(children.of("uid-one"), [ObjectVersion::of_meta(&target(), &again)]);
    assert!(children.0.records.lock().writes.is_empty(), "nothing is left behind");
}

#[test]
fn a_change_of_controller_triggers_both_owners() {
    let children = children();
    children.apply(0, &child("1", "one"), None);
    assert_eq!(children.apply(0, &child("2", "two"), None), [repo("one"), repo("two")].concat());
    assert_eq!((children.of("uid-one").len(), children.of("uid-two").len()), (0, 1));
}

#[test]
fn objects_of_other_controllers_are_not_stored() {
    let children = children();
    let foreign = |change: serde_json::Value| {
        let mut meta = serde_json::to_value(child("1", "one")).unwrap();
        for (field, value) in change.as_object().unwrap() {
            meta["ownerReferences"][0][field] = value.clone();
        }
        serde_json::from_value::<ObjectMeta>(meta).unwrap()
    };
    for change in
        [json!({ "kind": "Bucket" }), json!({ "apiVersion": "other.example.com/v1" }), json!({ "controller": false })]
    {
        assert_eq!(children.apply(0, &foreign(change), None), []);
    }
    assert!(children.0.records.lock().children.is_empty());
}

#[test]
fn an_own_write_does_not_trigger_its_owner() {
    for early in [false, true] {
        let children = children();
        children.apply(0, &child("1", "one"), None);
        children.begin(&target(), "uid-one");
        if early {
            assert_eq!(children.apply(0, &child("2", "one"), None), []);
        }
        children.wrote(&seen("2"), &whole("2"), &repo("one")[0]);
        assert_eq!(children.end(&target()), []);
        if !early {
            assert_eq!(children.apply(0, &child("2", "one"), None), []);
        }
        assert_eq!(children.apply(0, &child("3", "one"), None), repo("one"), "a later owner does not count");
        assert!(children.0.records.lock().writes.is_empty(), "nothing is left behind");
    }
}

#[test]
fn a_foreign_change_during_an_own_write_is_delayed() {
    let children = children();
    children.apply(0, &child("1", "one"), None);
    children.begin(&target(), "uid-one");
    assert_eq!(children.apply(0, &child("2", "one"), None), []);
    assert_eq!(children.apply(0, &child("3", "one"), None), []);
    children.wrote(&seen("3"), &whole("3"), &repo("one")[0]);
    assert_eq!(children.end(&target()), repo("one"));
    assert!(children.0.records.lock().writes.is_empty());
}

#[test]
fn a_failed_write_releases_held_events() {
    let children = children();
    children.begin(&target(), "uid-one");
    assert_eq!(children.apply(0, &child("1", "one"), None), []);
    assert_eq!(children.end(&target()), repo("one"));
}

#[test]
fn an_own_write_outlives_an_older_event() {
    let children = children();
    children.apply(0, &child("1", "one"), None);
    children.begin(&target(), "uid-one");
    children.wrote(&seen("5"), &whole("5"), &repo("one")[0]);
    assert_eq!(children.end(&target()), []);
    assert_eq!(children.apply(0, &child("4", "one"), None), repo("one"), "an owner of another kind, before ours");
    assert_eq!(children.get(&target()).unwrap().resource_version, "5");
    assert_eq!(children.apply(0, &child("5", "one"), None), []);
}

#[test]
fn a_child_missing_in_a_complete_list_is_gone() {
    let children = children();
    children.apply(0, &child("1", "one"), None);
    assert_eq!(children.retain(0, Some("b"), &HashSet::new()), [], "another namespace");
    assert_eq!(children.retain(0, Some("a"), &HashSet::new()), repo("one"));
}

#[test]
fn the_newest_child_version_is_cached_until_our_delete() {
    let cached = |cache: Cache, version| Some(CachedObject::of(&whole(version), cache));
    for cache in [Cache::Metadata, Cache::Full] {
        let children = Children::new(owner(), vec![(target().kind, cache)], vec![Counts::VersionRecord]);
        children.apply(0, &child("1", "one"), cached(cache, "1"));
        children.begin(&target(), "uid-one");
        children.wrote(&seen("3"), &whole("3"), &repo("one")[0]);
        children.apply(0, &child("2", "one"), cached(cache, "2"));
        assert_eq!(children.cached(&target()), cached(cache, "3"), "the watch lags behind");
        assert_eq!(children.cached_of("uid-one", &target().kind), Vec::from_iter(cached(cache, "3")));
        assert_eq!(children.cached_of("uid-two", &target().kind), []);
        children.deleted(&target());
        assert_eq!((children.cached(&target()), children.cached_of("uid-one", &target().kind)), (None, Vec::new()));
    }
}

fn listed(children: &Children, version: &str) -> Vec<Key> {
    children.listed(0, None, &child(version, "one"), None)
}

#[test]
fn an_older_version_in_a_later_list_triggers_the_owner() {
    let children = children();
    children.apply(0, &child("9", "one"), None);
    children.begin_list(0, None);
    assert_eq!(listed(&children, "9"), [], "the same version");
    assert_eq!(listed(&children, "4"), repo("one"));
    assert_eq!(children.get(&target()).unwrap().resource_version, "4");
    // A version of ours that the store has lost does not count as ours any more.
    children.wrote(&seen("7"), &whole("7"), &repo("one")[0]);
    children.retain(0, None, &HashSet::from([Key::new(Some("a"), "child")]));
    children.begin_list(0, None);
    assert_eq!(listed(&children, "5"), repo("one"));
    assert_eq!(children.apply(0, &child("7", "one"), None), repo("one"));
}

#[test]
fn a_write_during_a_list_is_newer_than_the_list() {
    let children = children();
    children.begin_list(0, None);
    children.wrote(&seen("9"), &whole("9"), &repo("one")[0]);
    assert_eq!(listed(&children, "4"), repo("one"), "it is another version");
    assert_eq!(children.get(&target()).unwrap().resource_version, "9");
}

#[test]
fn a_deleted_child_in_a_later_list_is_alive() {
    let children = children();
    children.apply(0, &child("4", "one"), None);
    children.deleted(&target());
    assert_eq!(children.of("uid-one"), []);
    children.begin_list(0, None);
    let mut going = child("5", "one");
    going.deletion_timestamp = Some(serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap());
    children.listed(0, None, &going, None);
    assert_eq!(children.of("uid-one"), [], "its deletion waits for a finalizer");
    assert_eq!(listed(&children, "4"), repo("one"));
    assert_eq!(children.of("uid-one").len(), 1);
}

/// The sum of an owner and its expected value, computed from all children.
fn sums(children: &Children, owner_uid: &str) -> (u64, u64) {
    let records = children.0.records.lock();
    let anew = records.alive(owner_uid).fold(0_u64, |sum, (id, child)| sum.wrapping_add(records.hash(id, child)));
    drop(records);
    (children.sum(owner_uid), anew)
}

fn agree(children: &Children) -> u64 {
    let (sum, anew) = sums(children, "uid-one");
    assert_eq!(sum, anew);
    let (other, other_anew) = sums(children, "uid-two");
    assert_eq!(other, other_anew);
    sum
}

#[test]
fn the_sum_follows_every_change_of_a_child() {
    let children = children();
    assert_eq!(agree(&children), 0, "no entry without an owner");
    children.apply(0, &child("1", "one"), None);
    let first = agree(&children);
    children.apply(0, &child("2", "one"), None);
    assert_ne!(agree(&children), first);
    children.apply(0, &child("3", "two"), None);
    assert_eq!(agree(&children), 0, "it went to another owner");
    children.apply(0, &child("4", "one"), None);
    assert_ne!(agree(&children), 0);
    children.deleted(&target());
    assert_eq!(agree(&children), 0, "deleted by us");
    children.apply(0, &child("5", "one"), None);
    assert_eq!(agree(&children), 0, "still on its way out");
    children.remove(0, &Key::new(Some("a"), "child"));
    assert_eq!((agree(&children), children.0.records.lock().by_owner.len()), (0, 0), "nothing is left behind");
}

#[test]
fn a_write_updates_the_sum_even_after_its_event() {
    for early in [false, true] {
        let children = children();
        children.apply(0, &child("1", "one"), None);
        let before = agree(&children);
        let former = children.begin(&target(), "uid-one");
        assert_eq!(children.begin(&target(), "uid-two"), 0, "of another owner");
        if early {
            children.apply(0, &child("2", "one"), None);
        }
        let written = children.wrote(&seen("2"), &whole("2"), &repo("one")[0]);
        assert_eq!(before.wrapping_add(written).wrapping_sub(former), agree(&children));
    }
}

#[test]
fn only_a_new_generation_counts_for_unread_kinds() {
    let changed = |counts| {
        let children = Children::new(owner(), vec![(target().kind, Cache::None)], vec![counts]);
        let version = |version: &str, generation| ObjectMeta { generation: Some(generation), ..child(version, "one") };
        children.apply(0, &version("1", 1), None);
        let first = agree(&children);
        children.apply(0, &version("2", 1), None);
        let second = agree(&children);
        children.apply(0, &version("3", 2), None);
        (first != second, second != agree(&children))
    };
    assert_eq!((changed(Counts::Generation), changed(Counts::VersionRecord)), ((false, true), (true, true)));
}

#[test]
fn a_write_counts_for_a_running_list_of_its_namespace() {
    let children = children();
    let listed = |namespace: &str, version: &str| {
        let namespace = Some(Arc::from(namespace));
        children.listed(0, namespace.as_ref(), &child(version, "one"), None);
        children.get(&target()).unwrap().resource_version
    };
    for (begun, version) in [("a", "5"), ("b", "4")] {
        children.remove(0, &Key::new(Some("a"), "child"));
        children.begin_list(0, Some(Arc::from(begun)));
        children.begin(&target(), "uid-one");
        children.wrote(&seen("5"), &whole("5"), &repo("one")[0]);
        children.end(&target());
        // The version is older than the write, which a running list may not contain. In any other list, it shows a restored store.
        assert_eq!(listed(begun, "4"), version);
    }
}

#[test]
fn the_last_write_releases_held_events() {
    let children = children();
    children.begin(&target(), "uid-one");
    children.begin(&target(), "uid-one");
    assert_eq!(children.apply(0, &child("1", "one"), None), []);
    assert_eq!(children.end(&target()), [], "another write is under way");
    assert_eq!(children.end(&target()), repo("one"));
}

#[test]
fn a_child_that_no_step_reads_is_not_cached() {
    let children = children();
    children.begin(&target(), "uid-one");
    children.wrote(&seen("5"), &whole("5"), &repo("one")[0]);
    assert!(children.alive(&target()).is_some());
    assert_eq!(children.cached(&target()), None);
}

#[test]
fn a_child_deleted_without_pending_writes_leaves_no_record() {
    let children = children();
    children.begin(&target(), "uid-one");
    children.wrote(&seen("5"), &whole("5"), &repo("one")[0]);
    children.end(&target());
    children.remove(0, &Key::new(Some("a"), "child"));
    assert!(children.0.records.lock().writes.is_empty(), "nothing is left behind");
}
