//! Dependencies: none, one, a tuple, a trait object, a generic type; each found by its type, for cleanups as well.

use std::collections::BTreeMap;

use evenkeel::prelude::*;
use evenkeel::{Provides, Reconciler};

use super::northstar::{GitRepository, RepoError};

pub trait Storage: Send + Sync {
    fn root(&self) -> String;
}

pub struct Disk;

impl Storage for Disk {
    fn root(&self) -> String {
        "/".into()
    }
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum StoreCondition {
    #[condition(positive)]
    Stored,
}

#[sub_reconciler(sets(on::Stored), external)]
pub async fn store(
    _repo: &GitRepository,
    storage: &dyn Storage,
    _index: &BTreeMap<String, String>,
    _cx: &mut Cx,
) -> Result<String, RepoError> {
    Ok(storage.root())
}

#[cleanup(of = store)]
pub async fn remove(
    _repo: &GitRepository,
    _index: &BTreeMap<String, String>,
    _storage: &dyn Storage,
    _cx: &mut Cx,
) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = StoreCondition)]
pub async fn many(
    repo: &GitRepository,
    storage: &dyn Storage,
    index: &BTreeMap<String, String>,
    cx: &mut Pass<'_>,
) -> PassResult {
    store(repo, storage, index, cx).await?;
    Ok(())
}

/// A step needs no struct: a test can call it directly.
async fn call_it(repo: &GitRepository, cx: &mut Cx<'_, store>) -> String {
    store(repo, &Disk, &BTreeMap::new(), cx).await.unwrap()
}

#[test]
fn a_dependency_is_found_by_its_type() {
    let deps: <many as Reconciler>::Deps = (Box::new(Disk), BTreeMap::from([("a".into(), "b".into())]));
    let storage = <many as Provides<dyn Storage>>::provide(&deps);
    assert_eq!(storage.root(), "/");
    assert_eq!(<many as Provides<BTreeMap<String, String>>>::provide(&deps).len(), 1);
}

#[test]
fn one_dependency_is_plain_and_none_is_the_unit() {
    let _: <super::northstar::git_repository as Reconciler>::Deps = super::northstar::Git;
    let _: <super::twins::left as Reconciler>::Deps = ();
}
