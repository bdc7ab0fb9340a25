//! The target of a watch: a kind, in one namespace or in all, optionally selected by labels or by name.

use std::fmt;
use std::sync::Arc;

use kube::core::{ApiResource, DynamicResourceScope};
use kube::{Api, Client, Resource};

use crate::uid_shard::UidShard;

/// The target of one watch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WatchTarget {
    pub(crate) resource: Arc<ApiResource>,
    /// `None`: all namespaces, or a cluster-scoped kind.
    pub(crate) namespace: Option<Arc<str>>,
    /// Of a watch of all namespaces, those whose objects count; `None`: all.
    pub(crate) within: Option<Arc<[Arc<str>]>>,
    pub(crate) labels: Option<String>,
    pub(crate) fields: Option<String>,
    pub(crate) name: Option<String>,
    /// Whether objects keep the fields that are stripped by default.
    pub(crate) whole: bool,
    /// Whether the objects of the reconciled kind are requested without their content.
    pub(crate) metadata: bool,
    /// `None`: the objects of all shards.
    pub(crate) shard: Option<UidShard>,
}

impl WatchTarget {
    pub(super) fn api<K: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>>(
        &self,
        client: Client,
    ) -> Api<K> {
        match &self.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &*self.resource),
            None => Api::all_with(client, &*self.resource),
        }
    }

    /// Whether objects of the namespace count.
    pub(super) fn has_namespace(&self, namespace: Option<&str>) -> bool {
        let within = self.within.as_ref().zip(namespace);
        within.is_none_or(|(within, namespace)| within.iter().any(|one| **one == *namespace))
    }

    /// The same target, limited to the objects with these labels and fields; `None`: all objects.
    pub(super) fn selected(self, labels: Option<&str>, fields: Option<&str>) -> Self {
        Self { labels: labels.map(ToOwned::to_owned), fields: fields.map(ToOwned::to_owned), ..self }
    }

    /// The same target, limited to the objects in one shard.
    pub(super) fn in_shard(self, shard: UidShard) -> Self {
        Self { shard: Some(shard), ..self }
    }

    pub(super) fn selection(&self, streams: bool) -> Selection {
        let fields = self.name.as_ref().map(|name| format!("metadata.name={name}")).or_else(|| self.fields.clone());
        Selection { labels: self.labels.clone(), fields, streams }
    }
}

impl fmt::Display for WatchTarget {
    /// `secrets "token" in namespace team-a`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource.plural)?;
        if !self.resource.group.is_empty() {
            write!(f, ".{}", self.resource.group)?;
        }
        if let Some(name) = &self.name {
            write!(f, " \"{name}\"")?;
        }
        if let Some(labels) = &self.labels {
            write!(f, " with labels {labels}")?;
        }
        if let Some(fields) = &self.fields {
            write!(f, " with fields {fields}")?;
        }
        if let Some(shard) = self.shard {
            write!(f, " in shard {shard}")?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace}"),
            None => Ok(()),
        }
    }
}

/// The selected objects, and the form of the first list.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    pub(super) labels: Option<String>,
    pub(super) fields: Option<String>,
    /// Whether the watch itself delivers the first list, instead of a paginated list before it.
    pub(super) streams: bool,
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::Secret;

    use super::*;
    use crate::wiring::selector_parts;

    #[test]
    fn a_watch_target_prints_resource_selection_and_namespace() {
        let of = |resource: ApiResource, name: Option<&str>, selector: &str, namespace: Option<&str>| {
            let (labels, fields) = selector_parts(selector);
            let (name, labels) = (name.map(Into::into), labels.map(Into::into));
            let target = WatchTarget {
                resource: Arc::new(resource),
                namespace: namespace.map(Into::into),
                within: None,
                labels,
                fields: fields.map(Into::into),
                name,
                whole: false,
                metadata: false,
                shard: None,
            };
            let in_shard = target.clone().in_shard(UidShard { index: 3, of: NonZeroU16::MAX });
            (target.to_string(), in_shard.to_string())
        };
        let secrets = || ApiResource::erase::<Secret>(&());
        assert_eq!(of(secrets(), None, "", None).0, "secrets");
        assert_eq!(of(secrets(), Some("token"), "", Some("team-a")).0, "secrets \"token\" in namespace team-a");
        let deployments = ApiResource::erase::<Deployment>(&());
        assert_eq!(of(deployments, None, "a=b", None).0, "deployments.apps with labels a=b");
        let (target, in_shard) = of(secrets(), None, "a=b;type=Opaque", Some("team-a"));
        assert_eq!(target, "secrets with labels a=b with fields type=Opaque in namespace team-a");
        let words = "secrets with labels a=b with fields type=Opaque in shard 3 of 65535 in namespace team-a";
        assert_eq!(in_shard, words);
    }
}
