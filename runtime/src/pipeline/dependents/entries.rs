//! The objects of a set: those that were added, those that are rendered, and the changes of all.

use super::entry::Entry;
use super::error::DependentsError;
#[cfg(feature = "templates")]
use super::kinds::entries_of;
#[cfg(feature = "templates")]
use super::rendering::rendered;
use super::wanted::{Change, WantedParts};
use crate::pipeline::state::PassState;
use crate::wiring::Relation;

/// Renders the templates and the sources of the set, and changes all objects. `relations`: the kinds that the step declares.
#[cfg(feature = "templates")]
pub(super) async fn entries(
    state: &PassState,
    relations: &'static [Relation],
    wanted: WantedParts,
) -> Result<Vec<Entry>, DependentsError> {
    let WantedParts { mut entries, renderings, sources, changes } = wanted;
    let (backend, mut objects) = (state.backend.clone(), Vec::new());
    for rendering in renderings {
        objects.extend(rendered(&*backend, rendering).await?);
    }
    for source in sources {
        objects.extend(source.rendered().await?);
    }
    entries.extend(entries_of(state, relations, objects).await?);
    change(&mut entries, &changes);
    Ok(entries)
}

/// Changes all objects of the set.
#[cfg(not(feature = "templates"))]
#[allow(clippy::unused_async, reason = "templates are rendered here, with their feature")]
pub(super) async fn entries(
    _: &PassState,
    _: &'static [Relation],
    wanted: WantedParts,
) -> Result<Vec<Entry>, DependentsError> {
    let WantedParts { mut entries, changes } = wanted;
    change(&mut entries, &changes);
    Ok(entries)
}

fn change(entries: &mut [Entry], changes: &[Change]) {
    for entry in entries.iter_mut().filter(|entry| !entry.is_invalid()) {
        changes.iter().for_each(|change| change(entry));
    }
}
