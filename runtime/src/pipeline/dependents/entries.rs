//! The objects of a set: those that were added, those that are rendered, and the changes of all.

use super::entry::Entry;
use super::error::DependentsError;
#[cfg(feature = "templates")]
use super::kinds::entries_of;
#[cfg(feature = "templates")]
use super::rendering::rendered;
use super::wanted::{Change, WantedParts};
use crate::api::Backend;
use crate::dependent_rules::manifest::{InvalidManifest, Manifest};
use crate::pipeline::context::blocking;
use crate::pipeline::state::PassState;
use crate::wiring::{KindInfo, Relation};

/// Sets with more objects are prepared on a thread for blocking work.
const LARGE: usize = 200;

/// The objects of a set.
pub(super) struct Entries {
    entries: Vec<Entry>,
    changes: Vec<Change>,
}

impl Entries {
    /// Renders the templates of the set and reads the output of its sources. `relations`: the kinds that the step declares.
    #[cfg(feature = "templates")]
    pub(super) async fn of(
        state: &PassState,
        relations: &'static [Relation],
        wanted: WantedParts,
    ) -> Result<Self, DependentsError> {
        let WantedParts { mut entries, renderings, printed, changes, .. } = wanted;
        let (backend, mut objects) = (state.backend.clone(), Vec::new());
        for rendering in renderings {
            objects.extend(rendered(&*backend, rendering).await?);
        }
        for printed in printed {
            objects.extend(blocking(&*backend, move || printed.rendered()).await?);
        }
        entries.extend(entries_of(state, relations, objects).await?);
        Ok(Self { entries, changes })
    }

    #[cfg(not(feature = "templates"))]
    #[allow(clippy::unused_async, reason = "templates are rendered here, with their feature")]
    pub(super) async fn of(
        _: &PassState,
        _: &'static [Relation],
        wanted: WantedParts,
    ) -> Result<Self, DependentsError> {
        let WantedParts { entries, changes } = wanted;
        Ok(Self { entries, changes })
    }

    /// The kinds of the objects.
    pub(super) fn kinds(&self) -> Vec<KindInfo> {
        let mut kinds: Vec<KindInfo> = Vec::new();
        for kind in self.entries.iter().map(Entry::kind) {
            if !kinds.contains(kind) {
                kinds.push(kind.clone());
            }
        }
        kinds
    }

    /// The manifests of the objects, after the changes of all. Only one of them is more than a text at a time.
    pub(super) async fn manifests(
        self,
        backend: &dyn Backend,
        namespace: Option<String>,
        prefix: Option<&'static str>,
    ) -> Result<Vec<Manifest>, InvalidManifest> {
        let Self { entries, changes } = self;
        prepared(backend, entries.len(), move || {
            let mut manifests = Vec::with_capacity(entries.len());
            for mut entry in entries {
                if !entry.is_invalid() {
                    changes.iter().for_each(|change| (change.apply)(&mut entry));
                }
                manifests.push(entry.manifest(namespace.as_deref(), prefix)?);
            }
            Ok(manifests)
        })
        .await
    }
}

/// Prepares a set of this many objects.
pub(super) async fn prepared<T: Send + 'static>(
    backend: &dyn Backend,
    objects: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if objects > LARGE { blocking(backend, work).await } else { work() }
}
