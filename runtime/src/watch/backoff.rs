//! The backoff of one failing watch, and the log of its failures.

use std::collections::HashSet;
use std::time::Duration;

use kube::runtime::watcher::Event;
use tokio::time::Instant;

use super::error::{Error, WatchError};
use super::health::Watched;
use crate::backoff::Backoff;

/// The pauses between the attempts of one watch. (The adapter of kube-runtime resets its backoff on each attempt to list.)
const PAUSES: Backoff = Backoff { base: Duration::from_secs(1), cap: Duration::from_secs(30) };

/// Time after which a working watch restarts with the shortest pause.
const STEADY: Duration = Duration::from_secs(30);

/// Evidence that a watch works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    /// A complete list.
    List,
    /// A change, a bookmark or a regular end of the watch after the list.
    Watch,
}

impl Proof {
    /// The evidence that the event provides.
    pub(super) fn of<K>(event: &Event<K>) -> Option<Self> {
        match event {
            Event::Init | Event::InitApply(_) => None,
            Event::InitDone => Some(Self::List),
            Event::Apply(_) | Event::Delete(_) => Some(Self::Watch),
        }
    }

    /// The evidence that is required after the error. A streaming list is a watch.
    pub(super) fn against(error: &Error, watch_error: &WatchError, streams: bool) -> Self {
        match error {
            // The server no longer has the version. The list provides a new one.
            _ if *watch_error == WatchError::Expired => Self::List,
            Error::List(_) | Error::Unanswered | Error::NoVersion | Error::WentBack(..) => Self::List,
            Error::Silent(_) => Self::Watch,
            Error::Start(_) | Error::Broke(_) | Error::BrokeOff | Error::Reported(_) if streams => Self::List,
            Error::Start(_) | Error::Broke(_) | Error::BrokeOff | Error::Reported(_) => Self::Watch,
        }
    }
}

/// Consecutive failures of one watch.
#[derive(Debug, Default)]
pub(super) struct WatchBackoff {
    failures: u32,
    /// The time since which it works.
    well: Option<Instant>,
    /// The evidence that the last failure requires, until it arrives.
    wanted: Option<Proof>,
    /// The reasons that were logged.
    logged: HashSet<String>,
}

impl WatchBackoff {
    /// Records evidence that the watch works.
    pub(super) fn works(&mut self, proof: Proof, watched: &Watched) {
        self.well.get_or_insert_with(Instant::now);
        if self.wanted.take_if(|wanted| proof >= *wanted).is_some() {
            watched.works();
        }
    }

    /// Records a failure, logs each reason once, and returns the pause.
    pub(super) fn fails(&mut self, watch_error: &WatchError, wanted: Proof, watched: &Watched) -> Duration {
        if self.well.take().is_some_and(|since| since.elapsed() >= STEADY) {
            self.failures = 0;
            self.logged.clear();
        }
        watched.fails(watch_error);
        self.wanted = Some(wanted);
        let place = &watched.place;
        if self.logged.insert(watch_error.to_string()) {
            let help = watch_error.help(place);
            tracing::warn!(watch = %place, error = %format_args!("{watch_error}; {help}"), "the watch failed; retrying");
        }
        // The same selector fails again until the API server is changed.
        let pause = match watch_error {
            WatchError::ShardSelector(_) => PAUSES.cap,
            _ => PAUSES.delay(self.failures),
        };
        self.failures = self.failures.saturating_add(1);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(error: &Error, streams: bool) -> Proof {
        Proof::against(error, &WatchError::of(error), streams)
    }

    fn reported(code: u16) -> Error {
        Error::Reported(Box::new(serde_json::from_value(serde_json::json!({ "code": code })).unwrap()))
    }

    #[test]
    fn a_watch_recovers_once_the_failed_part_works() {
        let broke = || kube::Error::ReadEvents(std::io::Error::other("reset"));
        for streams in [false, true] {
            for error in [Error::List(broke()), Error::Unanswered, Error::NoVersion, reported(410)] {
                assert_eq!(against(&error, streams), Proof::List, "{error:?}");
            }
            assert_eq!(against(&Error::Silent(Duration::ZERO), streams), Proof::Watch);
        }
        for error in [Error::Start(broke()), Error::Broke(broke()), Error::BrokeOff, reported(500)] {
            assert_eq!(against(&error, false), Proof::Watch, "{error:?}");
            assert_eq!(against(&error, true), Proof::List, "the list comes as a stream: {error:?}");
        }
    }

    #[test]
    fn a_complete_list_or_a_later_event_proves_success() {
        assert_eq!((Proof::of(&Event::<()>::Init), Proof::of(&Event::InitApply(()))), (None, None));
        assert_eq!(Proof::of(&Event::<()>::InitDone), Some(Proof::List));
        assert_eq!(
            (Proof::of(&Event::Apply(())), Proof::of(&Event::Delete(()))),
            (Some(Proof::Watch), Some(Proof::Watch))
        );
        assert!(Proof::Watch > Proof::List);
    }

    #[tokio::test(start_paused = true)]
    async fn a_healthy_watch_resets_its_backoff() {
        let kind = crate::wiring::KindInfo::of::<k8s_openapi::api::core::v1::Secret>();
        let watched = crate::watch::Health::default().begin(&crate::watch::Scope::default().place(&kind, None));
        for (worked, failures) in [(STEADY - Duration::from_secs(1), 2), (STEADY, 1)] {
            let mut backoff = WatchBackoff::default();
            backoff.fails(&WatchError::Expired, Proof::List, &watched);
            backoff.works(Proof::List, &watched);
            tokio::time::advance(worked).await;
            backoff.fails(&WatchError::Expired, Proof::List, &watched);
            assert_eq!(backoff.failures, failures, "after {worked:?}");
        }
    }
}
