//! The order in which objects are removed.

use super::*;
use crate::dependents::manifest::ObjectId;
use crate::dependents::policy::DeletePolicy;

fn id(group: &str, kind: &str, name: &str) -> ObjectId {
    ObjectId { group: group.into(), kind: kind.into(), namespace: None, name: name.into() }
}

fn departing(id: &ObjectId) -> Departing<'_> {
    Departing { id, delete: DeletePolicy::Delete, order: 0, is_deleted: false, is_instance: false }
}

#[test]
fn instances_are_gone_before_the_rest_of_their_wave() {
    let (crd, shop, web) = (
        id("apiextensions.k8s.io", "CustomResourceDefinition", "c"),
        id("x.io", "Shop", "s"),
        id("apps", "Deployment", "w"),
    );
    let instance = |is_deleted| Departing { is_instance: true, is_deleted, ..departing(&shop) };
    let all = |is_deleted| [departing(&web), departing(&crd), instance(is_deleted)];
    assert_eq!(removal(&all(false), Leaving::Redundant), [(2, Removal::Delete)]);
    assert_eq!(removal(&all(true), Leaving::Redundant), [], "its end is waited for");
    assert_eq!(removal(&all(true)[..2], Leaving::Redundant), [(1, Removal::Delete), (0, Removal::Delete)]);
}

#[test]
fn waves_come_one_after_another_and_namespaces_last() {
    let (namespace, first, second) = (id("", "Namespace", "n"), id("", "Secret", "a"), id("", "Secret", "b"));
    let all = [
        Departing { order: -5, ..departing(&namespace) },
        Departing { order: 1, ..departing(&first) },
        Departing { order: 2, ..departing(&second) },
    ];
    for (at, expected) in [(0, 1), (1, 2), (2, 0)] {
        let mut left: Vec<_> = all.iter().enumerate().collect();
        left.sort_by_key(|(i, _)| [2, 0, 1][*i]);
        let left = &left[at..];
        let found = removal(&left.iter().map(|(_, one)| (*one).clone()).collect::<Vec<_>>(), Leaving::ComponentDeleted);
        assert_eq!(found.iter().map(|(i, _)| left[*i].0).collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn objects_with_an_orphan_policy_stay() {
    let (a, b, c) = (id("", "Secret", "a"), id("", "Secret", "b"), id("", "Secret", "c"));
    let with = |id, delete| Departing { delete, order: 9, ..departing(id) };
    let all =
        [with(&a, DeletePolicy::Orphan), with(&b, DeletePolicy::OrphanOnApply), with(&c, DeletePolicy::OrphanOnDelete)];
    let (orphan, delete) = (Removal::Orphan, Removal::Delete);
    assert_eq!(removal(&all, Leaving::Redundant), [(0, orphan), (1, orphan), (2, delete)]);
    assert_eq!(removal(&all, Leaving::ComponentDeleted), [(0, orphan), (2, orphan), (1, delete)]);
}
