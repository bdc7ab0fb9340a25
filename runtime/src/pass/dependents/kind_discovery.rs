//! Finds and watches the kinds of a set that no step declares.

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::core::GroupVersion;

use super::discovery::{of_group, of_version};
use crate::api::{ApiError, KindDiscovery};
use crate::dependent_rules::manifest::TypeMeta;
use crate::pass::api::PassBackend;
use crate::wiring::KindInfo;

impl KindDiscovery for PassBackend {
    fn watched_kind(&self, step: &str, group: &str, kind: &str) -> Option<KindInfo> {
        self.cache_of(step).ok()?.kind(group, kind)
    }

    fn served_kinds<'a>(
        &'a self,
        step: &'a str,
        types: &'a [TypeMeta],
    ) -> BoxFuture<'a, Result<Vec<KindInfo>, ApiError>> {
        async move {
            let client = self.reads_of(step).discovery();
            let mut versions: Vec<(&str, &str)> = types.iter().map(|of| (&*of.group, &*of.version)).collect();
            versions.sort_unstable();
            versions.dedup();
            let mut found = Vec::new();
            for (group, version) in versions {
                let served = match version {
                    "" => of_group(&client, group).await?,
                    version => of_version(&client, &GroupVersion::gv(group, version)).await?,
                };
                let is_asked =
                    |of: &TypeMeta, kind: &str| of.group == group && of.version == version && of.kind == kind;
                found.extend(served.into_iter().filter(|one| types.iter().any(|of| is_asked(of, &one.resource.kind))));
            }
            Ok(found)
        }
        .boxed()
    }

    fn watch_kinds<'a>(&'a self, step: &'a str, kinds: Vec<KindInfo>) -> BoxFuture<'a, Result<(), ApiError>> {
        async move {
            let cache = self.cache_of(step)?;
            // All watches start before the first one is waited for.
            kinds.iter().for_each(|kind| cache.add(kind));
            for kind in &kinds {
                cache.listed_of(kind).await?;
            }
            Ok(())
        }
        .boxed()
    }
}
