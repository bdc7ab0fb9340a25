//! The end of a run: processors, results, summaries, and the options of the patch.

use super::compute::{Computed, compute};
use super::{Error, Object, PatchOptions, Reconciled, ResultBuilder, ResultProcessor, RuntimeResult};
use crate::condition::{
    Condition, Merge, READY, RECONCILING, Ranking, Stamp, find, is_false, is_ready, is_true, mark_false, set,
};

/// A summary: the target condition and the conditions that it is computed from.
///
/// ```
/// use evenkeel::flux::Target;
/// const READY: Target = Target {
///     type_: "Ready",
///     owned: &["FetchFailed", "ArtifactInStorage", "Ready", "Reconciling", "Stalled"],
///     summarize: &["FetchFailed", "ArtifactInStorage", "Stalled", "Reconciling"],
///     negative: &["FetchFailed", "Stalled", "Reconciling"],
/// };
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Target<'a> {
    /// The type of the target condition.
    pub type_: &'a str,
    /// The types that this controller owns and may overwrite in a patch.
    pub owned: &'a [&'a str],
    /// The types to summarize, the most important first.
    pub summarize: &'a [&'a str],
    /// The types with negative polarity: bad when True.
    pub negative: &'a [&'a str],
}

impl Target<'_> {
    /// Computes the summary, ranked as in Flux. If none of the conditions exists, the target stays unchanged.
    pub fn summarize(&self, conditions: &mut Vec<Condition>, stamp: &Stamp) {
        let merge = Merge::new(Ranking::Flux).types(self.summarize.iter().copied());
        if let Some(summary) = merge.negative(self.negative.iter().copied()).summary(conditions, self.type_) {
            set(conditions, summary, stamp);
        }
    }
}

/// How the runs of a controller end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summarize<'a> {
    /// The summaries, in the order in which they are computed.
    pub targets: &'a [Target<'a>],
    /// Types that are good when True and bad when False, the most important first. The first False one decides Ready.
    pub bipolar: &'a [&'a str],
    /// The field manager of the patch.
    pub field_owner: Option<&'a str>,
    /// Whether a patch ignores that an object that was being deleted is gone.
    pub ignore_not_found: bool,
}

/// The end of a run.
#[derive(Debug)]
pub struct RunEnd {
    /// The result for the runtime.
    pub returned: Result<RuntimeResult, Error>,
    /// The options of the patch.
    pub options: PatchOptions,
}

impl Summarize<'_> {
    /// Ends a run: processors, results, summaries. [Patch](super::SerialPatcher) the object with the returned options afterwards.
    ///
    /// An error always sets Ready to False with a cause: that of a condition, or else the reason and text of the error. A success that
    /// leaves the object not ready is an error with Ready's message.
    pub fn end<K: Object>(
        &self,
        object: &mut K,
        reconciled: Reconciled,
        builder: &dyn ResultBuilder,
        processors: &mut [&mut dyn ResultProcessor<K>],
    ) -> RunEnd {
        for processor in processors {
            processor.look(object, &reconciled);
        }
        let failure = reconciled.as_ref().err().filter(|error| !error.is_ignored()).map(Failure::of);
        let computed = compute(object, reconciled, builder);
        self.summarize(object);
        if let Some(failure) = failure.filter(|_| self.targets.iter().any(|target| target.type_ == READY)) {
            failure.report(object);
        }
        let options = PatchOptions { observed_generation: computed.options.observed_generation, ..self.options() };
        RunEnd { returned: self.checked(object, computed), options }
    }

    /// Computes the summaries only, for a patch in the middle of a run.
    pub fn intermediate<K: Object>(&self, object: &mut K) -> PatchOptions {
        self.summarize(object);
        self.options()
    }

    fn options(&self) -> PatchOptions {
        let owned = self.targets.iter().flat_map(|target| target.owned).map(|type_| (*type_).to_owned()).collect();
        PatchOptions { owned, field_owner: self.field_owner.map(ToOwned::to_owned), ..PatchOptions::default() }
    }

    fn summarize<K: Object>(&self, object: &mut K) {
        let stamp = object.stamp();
        let conditions = &mut object.flux_status_mut().conditions;
        for target in self.targets {
            target.summarize(conditions, &stamp);
        }
        let bad = self.bipolar.iter().find(|type_| is_false(conditions, type_));
        if let Some(bad) = bad.and_then(|type_| find(conditions, type_)).cloned() {
            mark_false(conditions, READY, &bad.reason, &bad.message, &stamp);
        }
    }

    /// Returns an error if a success leaves the object not ready.
    fn checked<K: Object>(&self, object: &mut K, computed: Computed) -> Result<RuntimeResult, Error> {
        if !computed.is_non_stalled_success(object.conditions()) || is_ready(object.conditions()) {
            return computed.returned;
        }
        let reported = find(object.conditions(), READY).map(|ready| ready.message.clone());
        let message = reported.filter(|text| !text.is_empty()).unwrap_or_else(|| UNREPORTED.to_owned());
        let error = Error::plain(message);
        if find(object.conditions(), READY).is_none() && self.targets.iter().any(|target| target.type_ == READY) {
            Failure::of(&error).report(object);
        }
        Err(error)
    }
}

/// The message for a success that no condition reports.
const UNREPORTED: &str = "the run succeeded, but no condition reports it";

/// The cause of a failed run, for Ready.
struct Failure {
    reason: &'static str,
    message: String,
    is_retried: bool,
}

impl Failure {
    fn of(error: &Error) -> Self {
        Self { reason: error.reason(), message: error.to_string(), is_retried: error.is_retried() }
    }

    /// Sets Ready to False with the cause, if it does not have one yet.
    fn report<K: Object>(self, object: &mut K) {
        let conditions = object.conditions();
        let is_reported = is_false(conditions, READY) && !(self.is_retried && only_says_progress(conditions));
        if !is_reported {
            let stamp = object.stamp();
            mark_false(&mut object.flux_status_mut().conditions, READY, self.reason, &self.message, &stamp);
        }
    }
}

/// Whether Ready only repeats that the run is in progress.
fn only_says_progress(conditions: &[Condition]) -> bool {
    let repeats = |ready: &Condition, reconciling: &Condition| {
        ready.reason == reconciling.reason && ready.message == reconciling.message
    };
    is_true(conditions, RECONCILING)
        && find(conditions, READY).zip(find(conditions, RECONCILING)).is_some_and(|(ready, one)| repeats(ready, one))
}
