//! What a pass says of its end beside when it runs again: for its span, and for the figures.

use std::cell::Cell;

use crate::outcome::Outcome;
use crate::queue::Next;

tokio::task_local! {
    static WORD: Cell<Option<&'static str>>;
}

/// Runs a pass, and tells in a word how it ended: that of its [`Outcome`], `Unchanged`, `Suspended` or `Skipped`.
pub(super) async fn kept(pass: impl Future<Output = Next>) -> (Next, &'static str) {
    let kept = async {
        let next = pass.await;
        let word = word(&next, WORD.with(Cell::get));
        (next, word)
    };
    WORD.scope(Cell::new(None), kept).await
}

/// Says how the pass ends, unless it is overtaken by what others did.
pub(super) fn ends(word: &'static str) {
    // Outside of a pass, as in a trial, nobody asks.
    let _ = WORD.try_with(|said| said.set(Some(word)));
}

fn word(next: &Next, said: Option<&'static str>) -> &'static str {
    match (next, said) {
        (Next::Conflict { .. }, _) => Outcome::Conflict.as_str(),
        (Next::Forget, _) => Outcome::Gone.as_str(),
        (_, Some(said)) => said,
        (Next::Retry { .. } | Next::RetryAfter { .. }, None) => "Failed",
        (Next::Await | Next::After(_), None) => Outcome::Ignored.as_str(),
    }
}
