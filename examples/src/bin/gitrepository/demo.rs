//! The demo: four objects, their expected states, and a Secret that is created late.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel::StatusContract;
use evenkeel::condition::{self, ConditionStatus, READY, STALLED};
use examples::server::message_of;
use futures::{Stream, StreamExt};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::time::{Instant, interval, timeout};

use crate::operator::GitRepository;
use crate::table::{Row, Table};

/// The object that becomes ready.
const PLAIN: &str = "plain";
/// The object with an invalid URL.
const BROKEN: &str = "broken-url";
/// The object that names a missing Secret.
const LATE: &str = "late-secret";
const SECRET: &str = "late-login";
/// The object that includes the archive of [`PLAIN`].
const WHOLE: &str = "with-include";
const NAMES: [&str; 4] = [PLAIN, BROKEN, LATE, WHOLE];
const MANAGER: &str = "gitrepository-demo";
/// How long the object waits for its Secret, so that the wait is visible.
const SECRET_AFTER: Duration = Duration::from_secs(3);
const DEADLINE: Duration = Duration::from_secs(60);
const FAREWELL: Duration = Duration::from_secs(15);

/// When the demo ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// When all expected states are reached, or after a minute.
    Reached,
    /// When it is stopped.
    Stopped,
}

/// The demo, in one namespace of a server that has the CRD.
#[derive(Debug)]
pub struct Demo {
    repositories: Api<GitRepository>,
    secrets: Api<Secret>,
    seen: BTreeMap<String, GitRepository>,
    table: Table,
}

type Result<T> = std::result::Result<T, String>;

impl Demo {
    /// Creates a demo in the namespace.
    #[must_use]
    pub fn new(client: Client, namespace: &str, table: Table) -> Self {
        let repositories = Api::namespaced(client.clone(), namespace);
        Self { repositories, secrets: Api::namespaced(client, namespace), seen: BTreeMap::new(), table }
    }

    /// Applies the objects and shows their states.
    ///
    /// # Errors
    /// The server rejects a request, or a state is not reached in time.
    pub async fn run(&mut self, url: &str, until: Until) -> Result<()> {
        self.delete_secret().await?;
        for (name, spec) in [
            (WHOLE, json!({ "url": url, "interval": "10s", "ignore": "*.md", "include": [{ "repository": PLAIN }] })),
            (PLAIN, json!({ "url": url, "interval": "10s" })),
            (BROKEN, json!({ "url": "nowhere://example.com/repository.git", "interval": "10s" })),
            (LATE, json!({ "url": url, "interval": "10s", "secret": SECRET })),
        ] {
            self.apply(name, &spec).await?;
        }
        let events = watcher::watcher(self.repositories.clone(), watcher::Config::default()).boxed();
        match until {
            Until::Stopped => self.follow(events, until).await,
            Until::Reached => match timeout(DEADLINE, self.follow(events, until)).await {
                Ok(result) => result,
                Err(_) => Err(format!("not reached within {DEADLINE:?}:\n  {}", self.missing().join("\n  "))),
            },
        }
    }

    /// Deletes the objects and waits until they are gone, which means that their files are removed.
    ///
    /// # Errors
    /// The server rejects a request, or an object is not removed.
    pub async fn end(&mut self) -> Result<()> {
        for name in NAMES {
            match self.repositories.delete(name, &DeleteParams::default()).await {
                Err(error) if !is_absent(&error) => {
                    return Err(format!("cannot delete {name}: {}", message_of(&error)));
                }
                _ => {}
            }
        }
        self.delete_secret().await?;
        let gone = async {
            while self.remaining().await? > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok(())
        };
        timeout(FAREWELL, gone).await.map_err(|_| format!("objects still there after {FAREWELL:?}"))?
    }

    async fn apply(&self, name: &str, spec: &serde_json::Value) -> Result<()> {
        let object = json!({
            "apiVersion": "source.evenkeel.dev/v1",
            "kind": "GitRepository",
            "metadata": { "name": name },
            "spec": spec,
        });
        let params = PatchParams::apply(MANAGER).force();
        let applied = self.repositories.patch(name, &params, &Patch::Apply(&object)).await;
        let help = |error: &kube::Error| if is_absent(error) { ", choose another with --namespace" } else { "" };
        applied.map(drop).map_err(|error| format!("cannot apply {name}: {}{}", message_of(&error), help(&error)))
    }

    /// Shows every change, and updates the ages every second.
    async fn follow(
        &mut self,
        mut events: impl Stream<Item = watcher::Result<Event<GitRepository>>> + Unpin,
        until: Until,
    ) -> Result<()> {
        let mut second = interval(Duration::from_secs(1));
        let mut waiting_since = None;
        loop {
            tokio::select! {
                event = events.next() => self.see(event),
                _ = second.tick() => {}
            }
            let rows: Vec<Row> = self.seen.values().map(row).collect();
            self.table.show(&rows).map_err(|error| format!("cannot write the table: {error}"))?;
            self.create_secret(&mut waiting_since).await?;
            if until == Until::Reached && waiting_since.is_some() && self.missing().is_empty() {
                return Ok(());
            }
        }
    }

    fn see(&mut self, event: Option<watcher::Result<Event<GitRepository>>>) {
        match event {
            Some(Ok(Event::Apply(object) | Event::InitApply(object))) => {
                self.seen.insert(object.name_any(), object);
            }
            Some(Ok(Event::Delete(object))) => {
                self.seen.remove(&object.name_any());
            }
            Some(Ok(Event::Init)) => self.seen.clear(),
            Some(Ok(Event::InitDone)) | None => {}
            // The watcher restarts automatically.
            Some(Err(error)) => tracing::warn!(%error, "watch"),
        }
    }

    /// Creates the Secret once the wait of the object has been visible long enough.
    async fn create_secret(&self, waiting_since: &mut Option<Instant>) -> Result<()> {
        let Some(late) = self.seen.get(LATE) else { return Ok(()) };
        if waiting_since.is_none() && reason(late) == Some("SecretMissing") {
            *waiting_since = Some(Instant::now());
        }
        if waiting_since.is_none_or(|since| since.elapsed() < SECRET_AFTER) || reason(late) != Some("SecretMissing") {
            return Ok(());
        }
        let secret = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": { "name": SECRET },
            "stringData": { "username": "demo", "password": "not used by a local repository" },
        });
        let made = self.secrets.patch(SECRET, &PatchParams::apply(MANAGER).force(), &Patch::Apply(&secret)).await;
        made.map(drop).map_err(|error| format!("cannot create the Secret {SECRET}: {}", message_of(&error)))
    }

    async fn delete_secret(&self) -> Result<()> {
        match self.secrets.delete(SECRET, &DeleteParams::default()).await {
            Err(error) if !is_absent(&error) => {
                Err(format!("cannot delete the Secret {SECRET}: {}", message_of(&error)))
            }
            _ => Ok(()),
        }
    }

    async fn remaining(&self) -> Result<usize> {
        let list = self.repositories.list_metadata(&ListParams::default()).await;
        let list = list.map_err(|error| format!("cannot list the objects: {}", message_of(&error)))?;
        Ok(list.items.iter().filter(|object| NAMES.contains(&object.name_any().as_str())).count())
    }

    /// Lists the expected states that are not reached yet.
    fn missing(&self) -> Vec<String> {
        let wrong = |name: &str| match self.seen.get(name) {
            None => Some(format!("{name} is not there")),
            Some(object) if name == BROKEN => why_not_stalled(object),
            Some(object) => why_not_stored(object),
        };
        NAMES.iter().filter_map(|name| wrong(name)).collect()
    }
}

fn is_absent(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

fn find<'a>(object: &'a GitRepository, type_: &str) -> Option<&'a condition::Condition> {
    condition::find(object.status.as_ref()?.conditions(), type_)
}

fn reason(object: &GitRepository) -> Option<&str> {
    find(object, READY).map(|ready| ready.reason.as_str())
}

fn observed(object: &GitRepository) -> bool {
    let observed = object.status.as_ref().and_then(StatusContract::observed_generation);
    observed.is_some() && observed == object.metadata.generation
}

fn why_not_stalled(object: &GitRepository) -> Option<String> {
    let stalled =
        find(object, STALLED).is_some_and(|c| c.status == ConditionStatus::True && c.reason == "InvalidSource");
    (!stalled || !observed(object))
        .then(|| format!("{} is not Stalled with InvalidSource, {}", object.name_any(), now(object)))
}

fn why_not_stored(object: &GitRepository) -> Option<String> {
    let ready = find(object, READY).is_some_and(|ready| ready.status == ConditionStatus::True);
    let stored = object.status.as_ref().is_some_and(|status| status.artifact.is_some());
    (!ready || !stored || !observed(object)).then(|| format!("{} is not Ready, {}", object.name_any(), now(object)))
}

fn now(object: &GitRepository) -> String {
    match find(object, READY) {
        None => "has no Ready condition: does the operator run?".to_owned(),
        Some(ready) => format!("Ready is {} ({}: {})", ready.status, ready.reason, ready.message),
    }
}

fn row(object: &GitRepository) -> Row {
    let ready = find(object, READY);
    let created = object.creation_timestamp().map_or_else(Timestamp::now, |time| time.0);
    let revision = object.status.as_ref().and_then(|status| status.artifact.as_ref());
    Row {
        kind: "GitRepository".to_owned(),
        name: object.name_any(),
        ready: ready.map_or("Unknown", |ready| ready.status.as_str()),
        reason: ready.map_or_else(String::new, |ready| ready.reason.clone()),
        message: ready.map_or_else(String::new, |ready| ready.message.clone()),
        revision: revision.map_or_else(String::new, |artifact| artifact.revision.clone()),
        age: Timestamp::now().duration_since(created).unsigned_abs(),
    }
}
