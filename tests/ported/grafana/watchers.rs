//! The watchers of the cases. All of them follow the plot.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;

use super::kinds::{Failed, Foreign, Record, RecordCondition, on, pace};
use super::plot::Plot;

/// Watchers with all four methods.
macro_rules! watchers {
    ($($(#[$doc:meta])* $name:ident of $kind:ident: [$($args:tt)*];)*) => { $(
        $(#[$doc])*
        pub(super) struct $name(pub(super) Plot);

        #[watcher($($args)*)]
        impl $name {
            async fn add(&self, object: &$kind, cx: &mut Cx) -> Result<(), Failed> {
                self.0.called((stringify!($name), "add"), object, None, cx).await
            }

            async fn update(&self, old: &$kind, object: &$kind, cx: &mut Cx) -> Result<(), Failed> {
                self.0.called((stringify!($name), "update"), object, Some(old), cx).await
            }

            async fn sync(&self, object: &$kind, cx: &mut Cx) -> Result<(), Failed> {
                self.0.called((stringify!($name), "sync"), object, None, cx).await
            }

            async fn delete(&self, object: &$kind, cx: &mut Cx) -> Result<(), Failed> {
                self.0.called((stringify!($name), "delete"), object, None, cx).await
            }
        }
    )* };
}

watchers! {
    /// Of a kind of ours.
    Kept of Record: [conditions = RecordCondition, sets(on::Sent), on(generation), finalizer = "example.com/ours"];
    /// With a retry policy.
    Paced of Record: [conditions = RecordCondition, sets(on::Sent), on(generation), retry = pace, requeue = "30d"];
    /// With a retry policy, and called for each change.
    Unfiltered of Record: [conditions = RecordCondition, sets(on::Sent), retry = pace, requeue = "30d"];
    /// With a requeue interval.
    Repeated of Record: [conditions = RecordCondition, sets(on::Sent), on(generation), requeue = "10m"];
    /// Of a kind without a status of ours.
    Held of Foreign: [bare, finalizer = "example.com/ours", on(generation)];
    /// Of a kind without generations.
    HeldMaps of ConfigMap: [bare, finalizer = "example.com/ours"];
    /// Without a trace in the cluster.
    First of Foreign: [plain];
    /// Another one.
    Second of Foreign: [plain];
    /// A third one.
    Third of Foreign: [plain];
    /// Of the objects with these labels.
    Labelled of Foreign: [plain, labels = "foz=baz,a=b"];
    /// Of the objects with these labels and fields.
    Narrowed of Foreign: [plain, labels = "foz=baz,a=b", fields = "bar=foo,b=a"];
}

/// A watcher that is one function.
#[watcher(conditions = RecordCondition, sets(on::Sent), on(generation), finalizer = "example.com/ours")]
pub(super) async fn records(event: Event<'_, Record>, plot: &Plot, cx: &mut Cx) -> Result<(), Failed> {
    plot.called(("records", event.action()), event.object(), old(event), cx).await
}

/// The same for a kind without a status of ours.
#[watcher(bare, finalizer = "example.com/function", on(generation))]
pub(super) async fn foreigns(event: Event<'_, Foreign>, plot: &Plot, cx: &mut Cx) -> Result<(), Failed> {
    plot.called(("foreigns", event.action()), event.object(), old(event), cx).await
}

/// The same with a requeue interval.
#[watcher(conditions = RecordCondition, sets(on::Sent), on(generation), requeue = "10m")]
pub(super) async fn repetitions(event: Event<'_, Record>, plot: &Plot, cx: &mut Cx) -> Result<(), Failed> {
    plot.called(("repetitions", event.action()), event.object(), old(event), cx).await
}

fn old<K>(event: Event<'_, K>) -> Option<&K> {
    match event {
        Event::Updated { old, .. } => Some(old),
        _ => None,
    }
}

/// A watcher without a method for known objects.
pub(super) struct Short(pub(super) Plot);

#[watcher(conditions = RecordCondition, sets(on::Sent), on(generation))]
impl Short {
    async fn add(&self, record: &Record, cx: &mut Cx) -> Result<(), Failed> {
        self.0.called(("Short", "add"), record, None, cx).await
    }

    async fn delete(&self, record: &Record, cx: &mut Cx) -> Result<(), Failed> {
        self.0.called(("Short", "delete"), record, None, cx).await
    }
}

/// The example of the seed: it feeds a service, and its status has the generation that the service has.
pub(super) struct Fed(pub(super) Plot);

#[watcher(conditions = RecordCondition, sets(on::Sent), on(generation), settled)]
impl Fed {
    async fn add(&self, record: &Record, cx: &mut Cx) -> Result<(), Failed> {
        self.0.called(("Fed", "apply"), record, None, cx).await?;
        cx.status().last_applied = record.meta().generation;
        Ok(())
    }

    async fn delete(&self, record: &Record, cx: &mut Cx) -> Result<(), Failed> {
        self.0.called(("Fed", "delete"), record, None, cx).await
    }
}

/// The same as a function.
#[watcher(conditions = RecordCondition, sets(on::Sent), on(generation), settled)]
pub(super) async fn feed(event: Event<'_, Record>, plot: &Plot, cx: &mut Cx) -> Result<(), Failed> {
    if let Event::Deleted(record) = event {
        return plot.called(("feed", "delete"), record, None, cx).await;
    }
    plot.called(("feed", "apply"), event.object(), None, cx).await?;
    cx.status().last_applied = event.object().meta().generation;
    Ok(())
}
