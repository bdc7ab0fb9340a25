//! The requests of an operator that are not answered yet, so that a test can wait until it has finished.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// The requests that were sent so far, and those of them that have no answer.
#[derive(Clone, Copy, Default)]
struct Requests {
    sent: usize,
    open: usize,
}

/// The activity on a wire. Watches are no part of it.
pub(crate) struct Activity(watch::Sender<Requests>);

impl Default for Activity {
    fn default() -> Self {
        Self(watch::Sender::new(Requests::default()))
    }
}

impl Activity {
    /// Counts a request until the guard is dropped.
    pub(crate) fn request(&self) -> Unanswered {
        self.0.send_modify(|requests| {
            requests.sent += 1;
            requests.open += 1;
        });
        Unanswered(self.0.clone())
    }

    /// Waits until each request has its answer and no request was sent for `time`.
    ///
    /// # Panics
    /// That is not the case within `limit`.
    pub(crate) async fn quiet(&self, time: Duration, limit: Duration) {
        let mut requests = self.0.subscribe();
        let settled = async {
            loop {
                let answered = requests.wait_for(|requests| requests.open == 0).await;
                let sent = answered.expect("the sender lives as long as `self`").sent;
                if timeout(time, requests.wait_for(|requests| requests.sent != sent)).await.is_err() {
                    return;
                }
            }
        };
        assert!(timeout(limit, settled).await.is_ok(), "requests are sent, or have no answer, for {limit:?}");
    }
}

/// A request without an answer.
pub(crate) struct Unanswered(watch::Sender<Requests>);

impl Drop for Unanswered {
    fn drop(&mut self) {
        self.0.send_modify(|requests| requests.open -= 1);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    const TIME: Duration = Duration::from_millis(700);
    const LIMIT: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn a_request_is_waited_for_and_what_it_causes() {
        let activity = Activity::default();
        let start = Instant::now();
        activity.quiet(TIME, LIMIT).await;
        assert_eq!(start.elapsed(), TIME);
        let first = activity.request();
        let requests = async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            drop(first);
            tokio::time::sleep(TIME / 2).await;
            let second = activity.request();
            tokio::time::sleep(Duration::from_secs(5)).await;
            drop(second);
        };
        let start = Instant::now();
        tokio::join!(requests, activity.quiet(TIME, LIMIT));
        assert_eq!(start.elapsed(), Duration::from_secs(10) + TIME / 2 + TIME);
    }

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "requests are sent, or have no answer, for 60s")]
    async fn a_request_without_an_answer_fails_the_test() {
        let activity = Activity::default();
        let _open = activity.request();
        activity.quiet(TIME, LIMIT).await;
    }

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "requests are sent, or have no answer, for 60s")]
    async fn requests_without_end_fail_the_test() {
        let activity = Activity::default();
        let sending = async {
            loop {
                drop(activity.request());
                tokio::time::sleep(TIME / 2).await;
            }
        };
        tokio::select! {
            () = sending => {}
            () = activity.quiet(TIME, LIMIT) => {}
        }
    }
}
