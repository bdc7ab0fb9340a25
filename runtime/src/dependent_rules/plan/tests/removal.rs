//! The order in which objects are removed.

use super::*;
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::policy::DeletePolicy;

fn id(group: &str, kind: &str, name: &str) -> ObjectId {
    ObjectId { group: group.into(), kind: kind.into(), namespace: None, name: name.into() }
}

fn unwanted(id: &ObjectId) -> Unwanted<'_> {
    Unwanted { id, delete: DeletePolicy::Delete, order: 0, is_deleted: false, is_instance: false }
}

#[test]
fn instances_are_gone_before_the_rest_of_their_wave() {
    let (crd, shop, web) = (
        id("apiextensions.k8s.io", "CustomResourceDefinition", "c"),
        id("x.io", "Shop", "s"),
        id("apps", "Deployment", "w"),
    );
    let instance = |is_deleted| Unwanted { is_instance: true, is_deleted, ..unwanted(&shop) };
    let all = |is_deleted| [unwanted(&web), unwanted(&crd), instance(is_deleted)];
    assert_eq!(removal(&all(false), RemovalReason::Redundant), [(2, Removal::Delete)]);
    assert_eq!(removal(&all(true), RemovalReason::Redundant), [], "its end is waited for");
    assert_eq!(removal(&all(true)[..2], RemovalReason::Redundant), [(1, Removal::Delete), (0, Removal::Delete)]);
}

#[test]
fn waves_come_one_after_another_and_namespaces_last() {
    let (namespace, first, second) = (id("", "Namespace", "n"), id("", "Secret", "a"), id("", "Secret", "b"));
    let all = [
        Unwanted { order: -5, ..unwanted(&namespace) },
        Unwanted { order: 1, ..unwanted(&first) },
        Unwanted { order: 2, ..unwanted(&second) },
    ];
    for (at, expected) in [(0, 1), (1, 2), (2, 0)] {
        let mut left: Vec<_> = all.iter().enumerate().collect();
        left.sort_by_key(|(i, _)| [2, 0, 1][*i]);
        let left = &left[at..];
        let found =
            removal(&left.iter().map(|(_, one)| (*one).clone()).collect::<Vec<_>>(), RemovalReason::ComponentDeleted);
        assert_eq!(found.iter().map(|(i, _)| left[*i].0).collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn objects_with_an_orphan_policy_stay() {
    let (a, b, c) = (id("", "Secret", "a"), id("", "Secret", "b"), id("", "Secret", "c"));
    let with = |id, delete| Unwanted { delete, order: 9, ..unwanted(id) };
    let all =
        [with(&a, DeletePolicy::Orphan), with(&b, DeletePolicy::OrphanOnApply), with(&c, DeletePolicy::OrphanOnDelete)];
    let (orphan, delete) = (Removal::Orphan, Removal::Delete);
    assert_eq!(removal(&all, RemovalReason::Redundant), [(0, orphan), (1, orphan), (2, delete)]);
    assert_eq!(removal(&all, RemovalReason::ComponentDeleted), [(0, orphan), (2, orphan), (1, delete)]);
}
