//! Keeps the Secret and the bundles up to date, and hands out the current certificate.

use std::time::Duration;

use futures::{Stream, StreamExt};
use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::PartialObjectMeta;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, watcher};
use kube::{Api, Client};
use tokio::sync::watch;
use tokio::time::Instant;

use super::bundle;
use super::calls::{self, Written};
use super::names::Names;
use super::pair::Pair;
use super::rotation::{Bundle, State, Step};
use super::secret::{self, Found};
use super::served::Served;

/// The longest time between two looks, in case a watch misses a change.
const LOOK: Duration = Duration::from_secs(600);
/// The first and the longest pause after a failure, and between two repairs of a bundle: another program may fight for the field.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);

/// Keeps the certificate of one replica.
pub(super) struct Keeper {
    client: Client,
    names: Names,
    served: watch::Sender<Served>,
    failures: Pause,
    repairs: Pause,
}

/// A pause that doubles with each use.
struct Pause {
    next: Duration,
    /// The end of the last pause.
    until: Instant,
}

impl Pause {
    fn new() -> Self {
        Self { next: FIRST, until: Instant::now() }
    }

    /// Begins a pause. It is short again once the last one ended long ago.
    fn begin(&mut self) -> Duration {
        if self.until.elapsed() > LONGEST * 2 {
            self.next = FIRST;
        }
        let pause = self.next;
        self.until = Instant::now() + pause;
        self.next = (pause * 2).min(LONGEST);
        pause
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

impl Keeper {
    pub(super) fn new(client: Client, names: Names, served: watch::Sender<Served>) -> Self {
        Self { client, names, served, failures: Pause::new(), repairs: Pause::new() }
    }

    /// Runs forever: after each change of the Secret or of a configuration, and when a step is due.
    pub(super) async fn run(mut self) {
        let mut changes = std::pin::pin!(changes(&self.client, &self.names));
        loop {
            let wait = match self.turn().await {
                Ok(wait) => {
                    self.failures = Pause::new();
                    wait.min(LOOK)
                }
                Err(why) => {
                    let pause = self.failures.begin();
                    tracing::warn!(error = %why, retry_s = pause.as_secs(), "the certificate of the webhook server is not up to date");
                    self.served.send_modify(|served| served.error = Some(why));
                    pause
                }
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                Some(()) = changes.next() => {}
            }
        }
    }

    /// One look at the Secret, the configurations and the CRDs, with everything that is due. Returns the time until the next one.
    async fn turn(&mut self) -> Result<Duration, String> {
        let (stored, time) = calls::secret(&self.client, &self.names).await?;
        let now = time.now();
        let own = self.names.subjects();
        let state = match stored.as_ref().map(|stored| secret::read(stored, &self.names)) {
            Some(Found::Usable(state)) => state,
            Some(Found::Foreign) => return Err(foreign(&self.names)),
            Some(Found::Broken(why)) => {
                tracing::warn!(secret = self.names.secret(), %why, "the certificate of the webhook server is made anew");
                return self.store(&State::first(Pair::make(&own, now)?), stored.as_ref()).await;
            }
            None => return self.store(&State::first(Pair::make(&own, now)?), None).await,
        };
        // Replicas with another Service or URL share the certificate during a roll-out, so no name is taken out.
        let known = &state.current.subjects;
        let all: Vec<String> = known.iter().chain(own.iter().filter(|name| !known.contains(name))).cloned().collect();
        if all.len() > known.len() {
            tracing::info!(secret = self.names.secret(), names = all.join(" "), "the certificate gets further names");
            return self.store(&state.switched_to(Pair::make(&all, now)?, now), stored.as_ref()).await;
        }
        let spread = self.spread(&state).await;
        // API servers call this replica whether or not the bundle could be written.
        self.serve(&state, *spread.as_ref().unwrap_or(&Bundle::Missing))?;
        match state.step(now, spread?, || Pair::make(&all, now))? {
            Step::Write(next) => self.store(&next, stored.as_ref()).await,
            Step::Wait(until) => Ok(time.until(until).min(self.due_repair())),
        }
    }

    /// Writes the certificates. The next turn reads them again, also if another replica was faster.
    async fn store(&self, state: &State, old: Option<&Secret>) -> Result<Duration, String> {
        let new = secret::write(state, &self.names, old);
        if calls::write_secret(&self.client, &self.names, &new).await? == Written::Done {
            tracing::info!(secret = self.names.secret(), expires = %state.current.expires, "the certificate of the webhook server was written");
        }
        Ok(Duration::ZERO)
    }

    /// Puts the bundle into the configurations and CRDs, and reads it back.
    async fn spread(&mut self, state: &State) -> Result<Bundle, String> {
        let bundle = state.bundle();
        let mut spread = Bundle::Spread;
        for path in bundle::paths(&self.names) {
            let Some(object) = calls::object(&self.client, &path).await? else { continue };
            let Some(patch) = bundle::patch(&object, &self.names, &bundle) else { continue };
            spread = Bundle::Missing;
            if self.repairs.left().is_zero() {
                let written = calls::patch(&self.client, &path, &patch).await?;
                self.served.send_modify(|served| served.bundle_writes += u64::from(written == Written::Done));
            }
        }
        if spread == Bundle::Missing && self.repairs.left().is_zero() {
            self.repairs.begin();
        }
        Ok(spread)
    }

    /// The time until a repair may be needed again.
    fn due_repair(&self) -> Duration {
        let left = self.repairs.left();
        if left.is_zero() { LOOK } else { left }
    }

    fn serve(&self, state: &State, spread: Bundle) -> Result<(), String> {
        let certified = state.current.certified()?;
        let is_spread = spread == Bundle::Spread;
        self.served.send_if_modified(|served| {
            let is_same = served.certified.as_ref().is_some_and(|old| old.cert == certified.cert);
            let is_changed = !is_same || served.is_spread != is_spread || served.error.is_some();
            if !is_same {
                served.certified = Some(certified);
            }
            (served.is_spread, served.error) = (is_spread, None);
            served.expires = Some(state.current.expires);
            is_changed
        });
        Ok(())
    }
}

fn foreign(names: &Names) -> String {
    let (namespace, secret, operator) = (&names.namespace, names.secret(), &names.operator);
    format!("the Secret {namespace}/{secret} is not one of {operator}: delete it, or give the operator another name")
}

/// An item for each change of the Secret, the configurations and the CRDs.
fn changes(client: &Client, names: &Names) -> impl Stream<Item = ()> + use<> {
    let only = |name: &str| watcher::Config::default().fields(&format!("metadata.name={name}"));
    let secrets: Api<PartialObjectMeta<Secret>> = Api::namespaced(client.clone(), &names.namespace);
    let mutating: Api<PartialObjectMeta<MutatingWebhookConfiguration>> = Api::all(client.clone());
    let validating: Api<PartialObjectMeta<ValidatingWebhookConfiguration>> = Api::all(client.clone());
    let all = [
        watcher(secrets, only(&names.secret())).default_backoff().map(drop).boxed(),
        watcher(mutating, only(&names.operator)).default_backoff().map(drop).boxed(),
        watcher(validating, only(&names.operator)).default_backoff().map(drop).boxed(),
    ];
    let definitions = names.definitions.iter().map(|name| {
        let definitions: Api<PartialObjectMeta<CustomResourceDefinition>> = Api::all(client.clone());
        watcher(definitions, only(name)).default_backoff().map(drop).boxed()
    });
    futures::stream::select_all(all.into_iter().chain(definitions.collect::<Vec<_>>()))
}
