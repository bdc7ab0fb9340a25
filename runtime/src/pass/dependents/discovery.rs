//! The kinds that the API server serves and lists, by kube's discovery.

use kube::core::GroupVersion;
use kube::discovery::{ApiGroup, group, pinned_group, verbs};
use kube::{Client, Error};

use crate::api::{ApiError, Types};
use crate::wiring::KindInfo;

/// The kinds of some types. A type that is not served has none.
pub(super) async fn kinds_of(client: &Client, types: Types<'_>) -> Result<Vec<KindInfo>, ApiError> {
    match types {
        Types::Crd(name) => {
            let (plural, group) = name.split_once('.').unwrap_or((name, ""));
            let mut kinds = of_group(client, group).await?;
            kinds.retain(|kind| kind.resource.plural == plural);
            Ok(kinds)
        }
        Types::ApiService(name) => {
            let (version, of_group) = name.split_once('.').unwrap_or((name, ""));
            of_version(client, &GroupVersion::gv(of_group, version)).await
        }
        Types::Matching(pattern) => {
            let mut kinds = Vec::new();
            for version in versions(client).await?.iter().filter(|version| pattern.may_match(&version.group)) {
                kinds.extend(of_version(client, version).await?);
            }
            kinds.retain(|kind| pattern.matches(&kind.resource.group, &kind.resource.kind));
            Ok(distinct(kinds))
        }
    }
}

/// The kinds of a group, each in the version that the API server prefers.
pub(super) async fn of_group(client: &Client, name: &str) -> Result<Vec<KindInfo>, ApiError> {
    let found = served(group(client, name).await)?;
    Ok(found.map_or_else(Vec::new, |found| listable(found.resources_by_stability())))
}

/// All versions of all groups.
pub(super) async fn versions(client: &Client) -> Result<Vec<GroupVersion>, ApiError> {
    let core =
        client.list_core_api_versions().await?.versions.into_iter().map(|version| GroupVersion::gv("", &version));
    let groups = client.list_api_groups().await?.groups;
    let others = groups.iter().flat_map(|one| one.versions.iter().map(|of| GroupVersion::gv(&one.name, &of.version)));
    Ok(core.chain(others).collect())
}

/// The kinds of one version.
pub(super) async fn of_version(client: &Client, version: &GroupVersion) -> Result<Vec<KindInfo>, ApiError> {
    let found = served(pinned_group(client, version).await)?;
    Ok(found.map_or_else(Vec::new, |found| listable(found.versioned_resources(&version.version))))
}

/// The kinds, each in one version only.
pub(super) fn distinct(mut kinds: Vec<KindInfo>) -> Vec<KindInfo> {
    let id = |kind: &KindInfo| (kind.resource.group.clone(), kind.resource.kind.clone());
    kinds.sort_by_key(id);
    kinds.dedup_by_key(|kind| id(kind));
    kinds
}

fn listable(resources: Vec<(kube::core::ApiResource, kube::discovery::ApiCapabilities)>) -> Vec<KindInfo> {
    resources.into_iter().filter(|(_, of)| of.supports_operation(verbs::LIST)).map(KindInfo::from).collect()
}

/// `None`: the API server answered that it does not serve the group or the version. A group that does not answer is an error.
fn served(found: Result<ApiGroup, Error>) -> Result<Option<ApiGroup>, ApiError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Discovery(_)) => Ok(None),
        Err(error) => match ApiError::from(error) {
            missing if missing.is_404() => Ok(None),
            error => Err(error),
        },
    }
}
