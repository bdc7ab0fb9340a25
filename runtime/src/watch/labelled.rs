//! Watches by label selector: one for all objects that match, in each watched namespace.

use std::sync::Arc;

use kube::Client;
use kube::api::DynamicObject;
use tokio::sync::watch;

use super::named::First;
use super::objects::{Listing, Objects};
use super::stream::{Place, Progress, follow};
use crate::backend::{ApiError, Target};
use crate::queue::Key;
use crate::wiring::KindInfo;

/// The objects of one kind that match one selector.
#[derive(Clone, Debug)]
pub(super) struct Labelled {
    pub(super) kind: KindInfo,
    pub(super) selector: &'static str,
    objects: Arc<Objects>,
    streams: Arc<[(Place, First)]>,
}

impl Labelled {
    pub(super) fn new(kind: KindInfo, selector: &'static str, places: Vec<Place>) -> Self {
        let labelled = places.into_iter().map(|place| Place { labels: Some(selector.to_owned()), ..place });
        let streams = labelled.map(|place| (place, First::new())).collect();
        Self { kind, selector, objects: Arc::default(), streams }
    }

    pub(super) fn places(&self) -> impl Iterator<Item = (Place, Arc<watch::Sender<Progress>>)> {
        self.streams.iter().map(|(place, first)| (place.clone(), first.progress()))
    }

    /// Watches the n-th place for ever; `wake` is called with what appears, changes or vanishes.
    pub(super) async fn watch(self, at: usize, client: Client, wake: impl Fn(&Key) + Send + Sync) {
        let Some((place, first)) = self.streams.get(at) else { return };
        let mut list = Listing::default();
        let mut missed = Vec::new();
        follow(client, place.clone(), first.progress(), |event| {
            let listed = matches!(event, kube::runtime::watcher::Event::InitDone);
            let early = *first.progress().borrow() != Progress::Listed;
            let changed = self.objects.take(&mut list, place.namespace.as_deref(), event);
            if early {
                missed.extend(changed);
            } else {
                changed.iter().for_each(&wake);
            }
            if listed && first.is_awaited() {
                missed.drain(..).for_each(|key| wake(&key));
            }
        })
        .await;
    }

    /// The object once the watch of its namespace has listed.
    pub(super) async fn object(&self, target: &Target) -> Result<Option<Arc<DynamicObject>>, ApiError> {
        let namespace = target.namespace.as_deref();
        let here = |place: &Place| place.namespace.is_none() || place.namespace.as_deref() == namespace;
        for (place, first) in self.streams.iter().filter(|(place, _)| here(place)) {
            first.listed(place).await?;
        }
        Ok(self.now(target))
    }

    /// The object as it is known now.
    pub(super) fn now(&self, target: &Target) -> Option<Arc<DynamicObject>> {
        self.objects.get(&Key::new(target.namespace.as_deref(), &target.name))
    }
}
