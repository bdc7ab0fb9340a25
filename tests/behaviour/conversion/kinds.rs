//! A kind in two versions that are served and one that is stored, and an operator for it.

use evenkeel::Operator;
use evenkeel::prelude::*;
use schemars::JsonSchema;
use serde_json::{Value, json};

/// The group of the kind.
pub(crate) const GROUP: &str = "convert.tests.evenkeel.dev";
/// The name of the CRD.
pub(crate) const CRD: &str = "repos.convert.tests.evenkeel.dev";
/// The annotation with what `v1beta1` cannot express.
pub(crate) const STASH: &str = "evenkeel.dev/hub.v1beta1";

/// The version that is stored.
pub(crate) mod v1 {
    use super::*;

    /// What is fetched.
    #[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
    #[kube(group = "convert.tests.evenkeel.dev", version = "v1", kind = "Repo", namespaced, status = "RepoStatus")]
    #[serde(rename_all = "camelCase")]
    pub(crate) struct RepoSpec {
        /// Where it is.
        #[schemars(length(max = 64))]
        pub(crate) url: Url,
        /// How to log in.
        pub(crate) login: Option<Login>,
        /// What to fetch.
        #[serde(default)]
        #[schemars(length(max = 8), inner(length(max = 65_536)))]
        pub(crate) tags: Vec<String>,
        /// How often to fetch.
        #[serde(default = "often")]
        pub(crate) every_seconds: u32,
        /// What it is fetched with.
        #[serde(default)]
        pub(crate) limits: Limits,
    }

    /// A login: one of two.
    #[derive(JsonSchema, Clone, Debug, PartialEq, Deserialize, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub(crate) enum Login {
        /// The name of a Secret.
        Secret(String),
        /// A token of another system.
        Token {
            /// Its name.
            name: String,
        },
    }

    /// Limits of a fetch.
    #[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
    #[serde(default, rename_all = "camelCase")]
    pub(crate) struct Limits {
        /// The most megabytes.
        pub(crate) megabytes: Option<u32>,
        /// The most files.
        pub(crate) files: Option<u32>,
    }

    #[status]
    pub(crate) struct RepoStatus {
        pub(crate) revision: Option<String>,
    }

    pub(crate) fn often() -> u32 {
        60
    }
}

/// A version with fewer fields. The other fields are stashed.
pub(crate) mod v1beta1 {
    use super::*;

    /// What is fetched.
    #[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
    #[kube(group = "convert.tests.evenkeel.dev", version = "v1beta1", kind = "Repo", namespaced)]
    #[kube(status = "super::v1::RepoStatus")]
    pub(crate) struct RepoSpec {
        /// Where it is.
        #[schemars(length(max = 64))]
        pub(crate) url: Url,
        /// The name of a Secret.
        pub(crate) secret: Option<String>,
        /// How often to fetch, in seconds.
        #[serde(default = "super::v1::often")]
        pub(crate) period: u32,
        /// The most megabytes.
        pub(crate) megabytes: Option<u32>,
    }
}

/// A version that loses the tags, and has a status of its own.
pub(crate) mod v1alpha1 {
    use super::*;

    /// What is fetched.
    #[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
    #[kube(group = "convert.tests.evenkeel.dev", version = "v1alpha1", kind = "Repo", namespaced)]
    #[kube(status = "RepoStatus")]
    pub(crate) struct RepoSpec {
        /// Where it is.
        #[schemars(length(max = 64))]
        pub(crate) url: Url,
    }

    /// The status, without conditions.
    #[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
    pub(crate) struct RepoStatus {
        pub(crate) rev: Option<String>,
    }
}

/// An address that is no `bad` one. The schema knows nothing of that, as for types whose rules came later.
#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub(crate) struct Url(pub(crate) String);

impl TryFrom<String> for Url {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.starts_with("bad:") { Err("the scheme is none") } else { Ok(Self(text)) }
    }
}

#[convert(to = v1::Repo, stash, deprecated = "use v1")]
impl v1beta1::Repo {
    fn up(old: v1beta1::RepoSpec) -> v1::RepoSpec {
        assert!(!old.url.0.starts_with("panic:"), "on purpose");
        v1::RepoSpec {
            url: old.url,
            login: old.secret.map(v1::Login::Secret),
            every_seconds: old.period,
            limits: v1::Limits { megabytes: old.megabytes, files: None },
            tags: Vec::new(),
        }
    }

    fn down(new: v1::RepoSpec) -> v1beta1::RepoSpec {
        assert!(!new.url.0.starts_with("panic:"), "on purpose");
        let secret = match new.login {
            Some(v1::Login::Secret(name)) => Some(name),
            Some(v1::Login::Token { .. }) | None => None,
        };
        v1beta1::RepoSpec { url: new.url, secret, period: new.every_seconds, megabytes: new.limits.megabytes }
    }
}

#[convert(
    to = v1::Repo,
    lossy(
        spec.login,
        spec.tags,
        spec.every_seconds,
        spec.limits,
        status.observed_generation,
        status.conditions,
        status.observed_inputs,
        status.observed_by,
        status.last_handled_reconcile_at,
        status.last_handled_actions,
    )
)]
impl v1alpha1::Repo {
    fn up(old: v1alpha1::RepoSpec) -> v1::RepoSpec {
        v1::RepoSpec { url: old.url, every_seconds: v1::often(), ..v1::RepoSpec::default() }
    }

    fn down(new: v1::RepoSpec) -> v1alpha1::RepoSpec {
        v1alpha1::RepoSpec { url: new.url }
    }

    fn up_status(old: v1alpha1::RepoStatus) -> v1::RepoStatus {
        v1::RepoStatus { revision: old.rev, ..v1::RepoStatus::default() }
    }

    fn down_status(new: v1::RepoStatus) -> v1alpha1::RepoStatus {
        v1alpha1::RepoStatus { rev: new.revision }
    }
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum RepoCondition {
    /// It was seen.
    #[condition(positive)]
    Seen,
}

#[sub_reconciler(sets(on::Seen))]
async fn see(repo: &v1::Repo, cx: &mut Cx) -> Result<(), ApiError> {
    cx.status().revision = Some(format!("{} {}", repo.spec.url.0, repo.spec.every_seconds));
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
pub(crate) async fn repo(repo: &v1::Repo, cx: &mut Pass<'_>) -> PassResult {
    see(repo, cx).await?;
    Ok(())
}

/// The operator of the kind, with both served versions.
pub(crate) fn operator() -> Operator {
    Operator::new("converter").reconciler::<repo>(()).serves::<v1beta1::Repo>().serves::<v1alpha1::Repo>()
}

/// An object in this version.
pub(crate) fn object(version: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{version}"), "kind": "Repo",
        "metadata": { "name": "web", "namespace": "team-a", "uid": "7d", "labels": { "a": "b" } },
        "spec": spec,
    })
}
