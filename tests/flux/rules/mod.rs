//! The rules of the intended differences, in the order in which they change an answer.

mod finalizer;
mod list;
mod ready;
mod result;
mod status;
mod write;

use serde_json::Value;

use crate::deviation::Rule;

/// All rules. Consequences of a changed status come last.
pub(crate) static RULES: &[Rule] = &[
    result::STALLING_BESIDE_A_RESULT,
    result::ERROR_BESIDE_A_RESULT,
    result::RECONCILING_AND_STALLED,
    result::AT_WORK_WITHOUT_OPINION,
    result::NO_SUCCESS_BY_DURATION,
    result::WAITING_IS_NO_SUCCESS,
    result::SAME_DURATION,
    ready::WAITING_IS_SAID,
    ready::ERROR_IS_SAID,
    ready::SUCCESS_IS_SAID,
    finalizer::ERROR_IS_SAID,
    finalizer::READY_IS_FALSE,
    finalizer::READY_IS_THERE,
    list::REQUEUE_BESIDE_AN_ERROR,
    list::SUCCESS_BESIDE_AN_ERROR,
    list::REQUEST_TAKEN_OFF,
    list::RECOVERED_BY_STATUS,
    list::NOTICE_BY_STATUS,
    list::HIGHEST_BY_STATUS,
    list::NOTHING_DECLARED,
    list::END_OF_A_URL,
    write::GENERATION_WORKED_ON,
    write::NOTHING_HALF,
    write::STATUS_FIRST_AND_WHOLE,
    ready::OBSERVERS,
    write::ONE_WRITE,
];

/// Sets the value if the answer has the key.
fn put(answer: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(found) = answer.get_mut(key) {
        *found = value.into();
    }
}
