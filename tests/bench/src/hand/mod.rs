//! The hand-written operators on kube: a naive baseline as in its examples (B0), a tuned baseline (B1), and one for dependents.

mod component;
mod idle;
mod plain;
mod release;
mod tuned;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::PatchParams;
use kube::runtime::controller::Action;
use kube::{Api, Client, Resource};

use crate::kind::{NAMESPACE, children};

pub use component::component;
pub use idle::{b0_of, b1_of, metadata_of};
pub use plain::b0;
pub use release::{HandRelease, HandStatus};
pub use tuned::b1;

/// The work per object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Writes nothing: a pass finds nothing to do.
    pub idle: bool,
    /// Adds a finalizer with a cleanup.
    pub finalizer: bool,
    /// The number of children that it applies: 0 to 2.
    pub children: usize,
    /// Writes a timestamp into the status.
    pub stamps: bool,
    /// The requeue interval; by default only changes trigger.
    pub every: Option<Duration>,
    /// The concurrency of B0; 0 is no limit, as in the examples of kube.
    pub limit: u16,
    /// Makes a pass slow.
    pub naps: bool,
    /// Rounds of a computation in a pass.
    pub computes: u32,
}

impl Work {
    /// A pass that finds nothing to do.
    pub const IDLE: Self = Self {
        idle: true,
        finalizer: false,
        children: 0,
        stamps: false,
        every: None,
        limit: 0,
        naps: false,
        computes: 0,
    };

    fn again(self) -> Action {
        self.every.map_or_else(Action::await_change, Action::requeue)
    }
}

/// The context of a pass.
struct Context {
    client: Client,
    work: Work,
    passes: Arc<AtomicUsize>,
}

impl Context {
    fn begin(&self) {
        self.passes.fetch_add(1, Ordering::Relaxed);
    }

    fn releases(&self) -> Api<HandRelease> {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }

    fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }
}

const FINALIZER: &str = "bench.evenkeel.dev/hand";

fn manager() -> PatchParams {
    PatchParams::apply("hand").force()
}

/// The children with their owner reference.
fn owned(release: &HandRelease, work: Work) -> impl Iterator<Item = ConfigMap> {
    children(&release.metadata, &release.spec, work.children).map(|mut map| {
        map.metadata.owner_references = release.controller_owner_ref(&()).map(|owner| vec![owner]);
        map
    })
}
