//! Status writes in the middle of a pass: the author's fields, and the sets of dependents.

use crate::api::ApiError;
use crate::pipeline::state::PassState;

/// Stores the author's fields in the middle of the pass. An `urgent` write is sent even if the spec has changed since the pass began.
pub(crate) async fn store(state: &mut PassState, urgent: bool) -> Result<(), ApiError> {
    let turn = state.turn().await;
    let (intent, found) = (state.progress_beside(turn.as_ref()), state.found());
    // The conditions alone are stored when the pass ends.
    if (&intent.fields, &intent.sets) == (&found.fields, &found.sets) {
        return Ok(());
    }
    let (intent, backend) = (intent.unfinished(), state.backend.clone());
    match backend.record(state.step_name(), found, intent.clone(), urgent).await {
        Ok(()) => {
            if let Some(turn) = &turn {
                turn.wrote(intent.clone());
            }
            state.recorded(intent);
        }
        Err(error) => {
            state.write_error = Some(error.clone());
            return Err(error);
        }
    }
    Ok(())
}
