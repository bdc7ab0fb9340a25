//! The backend of a pass, which its steps read from and write to.

use std::sync::{Arc, OnceLock};

use tokio::time::Instant;

use super::api::PassBackend;
use super::api::blocking_work::BlockingWork;
use super::context::PassContext;
use super::decide::unchanged;
use super::finish::hot_object;
use super::report::current_pass::CurrentPass;
use crate::lock::Mutex;
use crate::pipeline::object::Object;

/// Creates the backend of one pass.
pub(super) fn backend(context: &PassContext, pass: &CurrentPass<'_>, object: &Object) -> Arc<PassBackend> {
    let key = pass.key;
    let children = context.memory().entry(key.clone()).or_default().children.clone();
    Arc::new(PassBackend {
        calls: context.calls(&pass.answers, pass.key),
        relations: context.env.relations.clone(),
        key: key.clone(),
        identity: context.identity(key, object),
        owner: OnceLock::new(),
        domain: context.env.operator.domain.clone(),
        #[cfg(feature = "dependents")]
        former_managers: context.former_managers.clone(),
        children,
        version: Mutex::new(object.resource_version().to_owned()),
        tracked: Mutex::new(unchanged::tracked(context, object)),
        settled: unchanged::is_settled(context, object),
        primary: context.env.primary.clone(),
        access: context.env.access,
        store: object.status_store(),
        hot: hot_object::is_hot(context, key),
        dry_run: context.env.dry_run,
        #[cfg(feature = "dependents")]
        sets: context.component_calls(key),
        #[cfg(feature = "dependents")]
        wiring: context.wiring,
        blocking: BlockingWork::default(),
        meter: context.env.meter.clone(),
        warned: context.warned.clone(),
        began: Instant::now(),
    })
}
