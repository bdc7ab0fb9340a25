//! The live read: the first pass of an object in a term that has something to do reads the object from the API server.
//!
//! The cache of a new leader may lack the last writes of the former one, such as a recorded operation. The body would repeat them.

use std::sync::Arc;

use futures::FutureExt;

use crate::api::ApiError;
use crate::pass::context::PassContext;
use crate::pass::decide::Decision;
use crate::pass::report::current_pass::CurrentPass;
use crate::pipeline::object::Object;
use crate::queue::Key;

/// Whether the object has to be read before this decision is carried out.
pub(in crate::pass) fn is_due(context: &PassContext, key: &Key, decision: &Decision) -> bool {
    let epoch = context.permit(key).epoch();
    let acts = matches!(decision, Decision::Run | Decision::Delete | Decision::Resend);
    epoch != 0 && acts && !context.live_reads.has(epoch, key)
}

/// Forgets what earlier terms have left in memory, as a restart does.
pub(in crate::pass) fn begin_anew(context: &PassContext, key: &Key) {
    context.memory().remove(key);
}

/// Reads the object from the API server, and puts it ahead of the cache.
///
/// # Errors
/// The object could not be read.
pub(in crate::pass) async fn read(
    context: &PassContext,
    pass: &CurrentPass<'_>,
) -> Result<Option<Arc<Object>>, ApiError> {
    let epoch = context.permit(pass.key).epoch();
    let (calls, target) = (context.calls(&pass.answers, pass.key), context.target(pass.key));
    let live = calls.get(&target).boxed().await?;
    context.live_reads.note(epoch, pass.key);
    Ok(live.and_then(|live| context.wrote(&live)))
}
