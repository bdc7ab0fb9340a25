//! B0 as in the examples of kube: each pass writes everything.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::Patch;
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::finalizer::{Error, Event, finalizer};
use kube::runtime::watcher;
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::release::{HandRelease, found};
use super::{Context, FINALIZER, Work, manager, owned};
use crate::kind::NAMESPACE;
use crate::ours::{compute, nap};

async fn reconcile(release: Arc<HandRelease>, context: Arc<Context>) -> Result<Action, Error<kube::Error>> {
    context.begin();
    if !context.work.finalizer {
        return apply(&release, &context).await.map_err(Error::ApplyFailed);
    }
    let api = context.releases();
    let both = |event| async {
        match event {
            Event::Apply(release) => apply(&release, &context).await,
            Event::Cleanup(_) => Ok(Action::await_change()),
        }
    };
    finalizer(&api, FINALIZER, release, both).await
}

async fn apply(release: &HandRelease, context: &Context) -> Result<Action, kube::Error> {
    std::hint::black_box(&release.spec.revision);
    if context.work.naps {
        nap(context.passes.load(Ordering::Relaxed)).await;
    }
    compute(context.work.computes);
    let name = release.name_any();
    for child in owned(release, context.work) {
        context.maps().patch(&child.name_any(), &manager(), &Patch::Apply(&child)).await?;
    }
    if !context.work.idle {
        let status = found(release, context.work);
        let status = json!({ "apiVersion": "bench.evenkeel.dev/v1", "kind": "Release", "status": status });
        context.releases().patch_status(&name, &manager(), &Patch::Apply(status)).await?;
    }
    Ok(context.work.again())
}

fn give_up(_: Arc<HandRelease>, _: &Error<kube::Error>, _: Arc<Context>) -> Action {
    Action::requeue(std::time::Duration::from_secs(5))
}

/// Runs for ever and counts its passes.
pub async fn b0(client: Client, work: Work, passes: Arc<AtomicUsize>) {
    let api = Api::<HandRelease>::namespaced(client.clone(), NAMESPACE);
    let mut controller =
        Controller::new(api, watcher::Config::default()).with_config(Config::default().concurrency(work.limit));
    if work.children > 0 {
        controller =
            controller.owns(Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE), watcher::Config::default());
    }
    let context = Arc::new(Context { client, work, passes });
    controller.run(reconcile, give_up, context).for_each(|_| std::future::ready(())).await;
}
