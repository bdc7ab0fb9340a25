//! The renewal of the certificate, as a function of what the Secret holds.
//!
//! Each step is one write of the Secret, so a crash anywhere continues at the same step, and any replica can take it.

use std::time::Duration;

use jiff::Timestamp;

use super::pair::Pair;

/// The time after which all API servers use a new bundle.
const SPREAD: Duration = Duration::from_secs(60);
/// The time for which the bundle has the previous certificate, for replicas that have not seen the new one.
const OVERLAP: Duration = Duration::from_secs(3600);

/// The certificates in the Secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// The certificate that all replicas present.
    pub(super) current: Pair,
    /// The certificate that follows, once the API servers trust it.
    pub(super) next: Option<Pair>,
    /// The certificate before the current one.
    pub(super) previous: Option<String>,
    /// When the bundle with the next certificate was in all configurations.
    pub(super) spread_at: Option<Timestamp>,
    /// When the current certificate became the current one.
    pub(super) switched_at: Option<Timestamp>,
}

/// Whether the bundle is in all configurations that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bundle {
    Spread,
    Missing,
}

/// The next thing to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Write these certificates, and decide again.
    Write(Box<State>),
    /// Nothing until then.
    Wait(Timestamp),
}

impl State {
    /// The certificates of a first start, or after the loss of the others.
    pub(super) fn first(current: Pair) -> Self {
        Self { current, next: None, previous: None, spread_at: None, switched_at: None }
    }

    /// The certificates after this one became the current one.
    pub(super) fn switched_to(&self, current: Pair, now: Timestamp) -> Self {
        Self { previous: Some(self.current.certificate.clone()), switched_at: Some(now), ..Self::first(current) }
    }

    /// All certificates that API servers have to trust, as PEM.
    pub(super) fn bundle(&self) -> String {
        let next = self.next.as_ref().map(|next| next.certificate.as_str());
        [Some(self.current.certificate.as_str()), next, self.previous.as_deref()].into_iter().flatten().collect()
    }

    /// Decides what follows; `make` makes a certificate.
    ///
    /// # Errors
    /// No certificate can be made.
    pub(super) fn step(
        &self,
        now: Timestamp,
        bundle: Bundle,
        make: impl Fn() -> Result<Pair, String>,
    ) -> Result<Step, String> {
        if self.current.is_expired(now) {
            // No overlap is left to wait for.
            return Ok(write(Self { previous: None, ..Self::first(self.next_if_valid(now).map_or_else(make, Ok)?) }));
        }
        if let Some(next) = &self.next {
            return Ok(self.renew(next, now, bundle));
        }
        if let (Some(_), Some(at)) = (&self.previous, self.switched_at) {
            let end = at.saturating_add(OVERLAP).unwrap_or(Timestamp::MAX);
            let alone = || Self::first(self.current.clone());
            return Ok(if end <= now { write(alone()) } else { Step::Wait(end) });
        }
        if self.current.is_old(now) {
            return Ok(write(Self { next: Some(make()?), spread_at: None, ..self.clone() }));
        }
        Ok(Step::Wait(self.current.old_at()))
    }

    fn next_if_valid(&self, now: Timestamp) -> Option<Pair> {
        self.next.clone().filter(|next| !next.is_expired(now))
    }

    /// Spreads the bundle with the next certificate, and then makes it the current one.
    fn renew(&self, next: &Pair, now: Timestamp, bundle: Bundle) -> Step {
        match (self.spread_at, bundle) {
            (None, Bundle::Missing) => Step::Wait(self.current.expires),
            (None, Bundle::Spread) => write(Self { spread_at: Some(now), ..self.clone() }),
            (Some(at), _) => {
                let end = at.saturating_add(SPREAD).unwrap_or(Timestamp::MAX);
                if now < end {
                    return Step::Wait(end);
                }
                write(self.switched_to(next.clone(), now))
            }
        }
    }
}

fn write(state: State) -> Step {
    Step::Write(Box::new(state))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, expires: Timestamp) -> Pair {
        Pair { certificate: format!("{name};"), key: format!("key of {name}"), expires, subjects: Vec::new() }
    }

    fn after(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    const DAY: i64 = 86_400;

    /// Runs steps until there is nothing to do for a while, and lists the bundles.
    fn run(mut state: State, now: Timestamp, bundle: Bundle) -> (State, Timestamp, Vec<String>) {
        let mut bundles = Vec::new();
        loop {
            match state.step(now, bundle, || Ok(pair("new", after(180 * DAY)))).unwrap() {
                Step::Write(next) => {
                    state = *next;
                    bundles.push(state.bundle());
                }
                Step::Wait(until) => return (state, until, bundles),
            }
        }
    }

    #[test]
    fn a_renewal_overlaps_until_all_have_seen_it() {
        let state = State::first(pair("old", after(90 * DAY)));
        let (state, until, bundles) = run(state, after(0), Bundle::Spread);
        assert_eq!((until, bundles), (after(60 * DAY), vec![]));
        let now = after(60 * DAY + 1);
        // The bundle comes first, and only once it is everywhere the time begins.
        let (state, until, bundles) = run(state, now, Bundle::Missing);
        assert_eq!((until, bundles), (after(90 * DAY), vec!["old;new;".to_owned()]));
        let (state, until, _) = run(state, now, Bundle::Spread);
        assert_eq!((until, &*state.current.certificate), (after(60 * DAY + 61), "old;"));
        let (state, until, bundles) = run(state, until, Bundle::Spread);
        assert_eq!((&*state.current.certificate, bundles), ("new;", vec!["new;old;".to_owned()]));
        let (state, until, bundles) = run(state, until, Bundle::Spread);
        assert_eq!((bundles, state.previous), (vec!["new;".to_owned()], None));
        assert_eq!(until, after(150 * DAY));
    }

    #[test]
    fn an_expired_certificate_is_replaced_at_once() {
        let state = State::first(pair("old", after(0)));
        let (state, _, bundles) = run(state, after(1), Bundle::Missing);
        assert_eq!((&*state.current.certificate, bundles), ("new;", vec!["new;".to_owned()]));
    }

    #[test]
    fn the_next_certificate_takes_the_place_of_an_expired_one() {
        let old = State::first(pair("old", after(0)));
        let state = State { next: Some(pair("next", after(50 * DAY))), ..old };
        let (state, ..) = run(state, after(1), Bundle::Missing);
        assert_eq!(&*state.current.certificate, "next;");
    }
}
