//! The kinds of these tests, and a reconciler that makes one of them a kind of the operator.

use std::collections::BTreeMap;

use evenkeel::prelude::*;
use evenkeel::{AdmissionFunction, Operator};
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is fetched.
#[derive(CustomResource, KubeSchema, Clone, Debug, PartialEq, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Repo", namespaced, status = "RepoStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepoSpec {
    /// Where it is.
    pub(crate) url: String,
    /// Who owns it.
    pub(crate) owner_team: String,
    /// How often to fetch.
    #[serde(default = "often")]
    pub(crate) every: u32,
    /// The sort of the repository.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) type_: Option<String>,
    /// How to log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) login: Option<Login>,
    /// What to store.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) paths: Vec<StoredPath>,
    /// Logins of mirrors.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) mirrors: BTreeMap<String, Login>,
}

fn often() -> u32 {
    60
}

/// A login.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Login {
    /// The user.
    pub(crate) user_name: String,
}

/// A part of a repository.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredPath {
    /// Where it is stored.
    pub(crate) stored_as: String,
    /// What it contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) words: Vec<String>,
}

#[status]
pub(crate) struct RepoStatus {}

/// Who owns repositories.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Team", namespaced)]
pub(crate) struct TeamSpec {
    /// Whether it is full.
    #[serde(default)]
    pub(crate) full: bool,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum RepoCondition {
    /// It was seen.
    #[condition(positive)]
    Seen,
}

#[sub_reconciler(sets(on::Seen))]
async fn see(_repo: &Repo, _cx: &mut Cx) -> Result<(), ApiError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
pub(crate) async fn repo(repo: &Repo, cx: &mut Pass<'_>) -> PassResult {
    see(repo, cx).await?;
    Ok(())
}

/// An operator with the kind `Repo` and one function without dependencies.
pub(crate) fn operator<F: AdmissionFunction + evenkeel::admission::AdmissionSet<List = ()>>() -> Operator {
    Operator::new("reviewer").reconciler::<repo>(()).admission::<F>(())
}

/// The object as a user writes it.
pub(crate) fn web() -> Value {
    json!({
        "apiVersion": "tests.evenkeel.dev/v1", "kind": "Repo",
        "metadata": { "name": "web", "namespace": "team-a", "uid": "7d" },
        "spec": { "url": "https://example.com/web", "ownerTeam": "a" },
    })
}

/// The object with a changed spec.
pub(crate) fn with(changes: &Value) -> Value {
    let mut object = web();
    for (name, value) in changes.as_object().into_iter().flatten() {
        object["spec"][name] = value.clone();
    }
    object
}
