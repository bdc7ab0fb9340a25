//! The environment of a trial: a real server, a proxy in front of it, the operator in a process, and the expected state.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use evenkeel_random_cases::Choices;
use evenkeel_tests::listener::objects_if_up;
use evenkeel_tests::real::{RealServer, Version};
use evenkeel_tests::trial::{Process, Proxy, settle, settle_all, wanted};
use futures::StreamExt;
use futures::stream::iter;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{ApiResource, CustomResourceExt};
use kube::runtime::{conditions, wait};
use kube::{Client, Error};
use serde_json::json;

use crate::operator::{API, FOLDER, LISTENS, Parcel};
use crate::truth::{SECRET, Truth, Wish};

/// The name of the test that runs the operator.
const OPERATOR: &str = "operator::the_operator_process";
/// The concurrency of the requests of the trial.
const AT_ONCE: usize = 16;

/// The environment of a trial.
pub struct Yard {
    pub version: Version,
    /// Held by the trial that kills it.
    pub server: tokio::sync::Mutex<RealServer>,
    pub client: Client,
    pub proxy: Proxy,
    operator: Mutex<Option<Process>>,
    folder: tempfile::TempDir,
    truth: Mutex<Truth>,
    /// How often something was chosen.
    chosen: AtomicU64,
    names: Mutex<usize>,
}

impl Yard {
    /// Starts a server with the CRD and the Secret; `None` if trials are disabled or there are no real servers.
    pub async fn open(version: Version, user: Option<&str>) -> Option<Self> {
        if !wanted() {
            return None;
        }
        let server = RealServer::start(version, true).await?;
        let client = server.client().await;
        let proxy = Proxy::start(client.clone(), user).await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("files")).unwrap();
        let truth = Mutex::new(Truth { secret: "first".into(), ..Truth::default() });
        let chosen = AtomicU64::default();
        let (operator, names, server) = (Mutex::default(), Mutex::default(), tokio::sync::Mutex::new(server));
        let yard = Self { version, server, client, proxy, operator, folder, truth, chosen, names };
        yard.install().await;
        Some(yard)
    }

    /// Installs the CRD and all expected objects.
    pub async fn install(&self) {
        let params = PatchParams::apply("trial").force();
        let crds: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let crd = Patch::Apply(Parcel::crd());
        insist(|| crds.patch(Parcel::crd_name(), &params, &crd)).await;
        wait::await_condition(crds, Parcel::crd_name(), conditions::is_crd_established()).await.unwrap();
        let truth = self.truth();
        self.set_secret(&truth.secret).await;
        let each = truth.parcels.iter().map(|(name, wish)| self.put(name, wish));
        iter(each).for_each_concurrent(AT_ONCE, |put| put).await;
    }

    /// Starts the operator with these additional variables.
    pub fn start(&self, variables: &[(&str, String)]) {
        let files = self.files().display().to_string();
        let mut all = vec![(API, self.proxy.url()), (FOLDER, files)];
        all.extend(variables.iter().cloned());
        *self.operator.lock().unwrap() = Some(Process::start(OPERATOR, &all, &self.folder.path().join("log")));
    }

    /// Kills the operator.
    pub fn kill(&self) {
        self.operator.lock().unwrap().take().unwrap().kill();
    }

    /// A file next to those of the operator.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn files(&self) -> PathBuf {
        self.beside("files")
    }

    fn parcels(&self) -> Api<DynamicObject> {
        Api::default_namespaced_with(self.client.clone(), &ApiResource::erase::<Parcel>(&()))
    }

    /// The expected state.
    pub fn truth(&self) -> Truth {
        self.truth.lock().unwrap().clone()
    }

    /// The number of expected parcels.
    pub fn count(&self) -> usize {
        self.truth.lock().unwrap().parcels.len()
    }

    /// Sets the expected state after the store of the server was replaced. The files of parcels that it no longer has cannot be removed.
    pub fn believe(&self, truth: Truth) {
        let mut now = self.truth.lock().unwrap();
        let before = std::mem::replace(&mut *now, truth);
        let lost = before.parcels.into_keys().filter(|name| !now.parcels.contains_key(name)).chain(before.lost);
        now.lost = lost.collect();
    }

    /// A random number below `end`.
    pub fn roll(&self, end: u64) -> u64 {
        self.choices().range(0..end)
    }

    /// Other choices at each call, the same ones in each trial.
    fn choices(&self) -> Choices {
        Choices::of(self.chosen.fetch_add(1, Ordering::Relaxed))
    }

    /// Writes the Secret.
    pub async fn set_secret(&self, value: &str) {
        let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": SECRET },
            "stringData": { "k": value } });
        let api: Api<Secret> = Api::default_namespaced(self.client.clone());
        let (params, secret) = (PatchParams::apply("trial").force(), Patch::Apply(&secret));
        insist(|| api.patch(SECRET, &params, &secret)).await;
        self.truth.lock().unwrap().secret = value.to_owned();
    }

    /// Creates or changes a parcel.
    pub async fn put(&self, name: &str, wish: &Wish) {
        let parcel = json!({ "apiVersion": "trials.evenkeel.dev/v1", "kind": "Parcel", "metadata": { "name": name },
            "spec": wish.spec() });
        let (parcels, params, parcel) = (self.parcels(), PatchParams::apply("trial").force(), Patch::Apply(&parcel));
        insist(|| parcels.patch(name, &params, &parcel)).await;
        let mut truth = self.truth.lock().unwrap();
        truth.lost.remove(name);
        truth.parcels.insert(name.to_owned(), wish.clone());
    }

    /// Deletes a parcel.
    pub async fn delete(&self, name: &str) {
        let (parcels, params) = (self.parcels(), DeleteParams::background());
        let parcels = &parcels;
        let params = &params;
        insist(|| async move {
            match parcels.delete(name, params).await {
                // An earlier attempt succeeded. A server that is starting answers 404 as well, without naming an object.
                Err(Error::Api(status))
                    if status.details.as_ref().is_some_and(|known| known.name == name) && status.code == 404 =>
                {
                    Ok(())
                }
                other => other.map(drop),
            }
        })
        .await;
        self.truth.lock().unwrap().parcels.remove(name);
    }

    /// Creates this many parcels.
    pub async fn create(&self, count: usize) {
        let first = {
            let mut names = self.names.lock().unwrap();
            *names += count;
            *names - count
        };
        let each = (first..first + count).map(|place| async move {
            self.put(&format!("parcel-{place}"), &Wish::at(place, "new")).await;
        });
        iter(each).for_each_concurrent(AT_ONCE, |put| put).await;
    }

    /// Deletes this many parcels.
    pub async fn remove(&self, count: usize) {
        let names: Vec<String> = self.truth().parcels.into_keys().take(count).collect();
        iter(&names).for_each_concurrent(AT_ONCE, |name| self.delete(name)).await;
    }

    /// Makes this many random changes: parcels are created, changed and deleted, and sometimes the Secret changes.
    pub async fn change(&self, count: usize) {
        for _ in 0..count {
            let (roll, text, place) = {
                let mut choices = self.choices();
                let text = choices.range(0..u32::MAX);
                (choices.range(0..20), format!("{text:08x}"), choices.range(0..1_000_usize))
            };
            let parcels = self.truth().parcels;
            let chosen = parcels.iter().nth(place % parcels.len().max(1));
            match (roll, chosen) {
                (0, _) => self.set_secret(&text).await,
                (1..=3, Some((name, _))) => self.delete(name).await,
                (4..=6, _) | (_, None) => self.create(1).await,
                (_, Some((name, wish))) => self.put(name, &Wish { text, ..wish.clone() }).await,
            }
        }
    }

    /// Waits until the server answers again: a killed server serves its lists some time after it reports readiness.
    pub async fn answers(&self) {
        let (parcels, every) = (self.parcels(), ListParams::default());
        insist(|| parcels.list(&every)).await;
    }

    /// Waits until everything is correct after a fault.
    pub async fn settle(&self, fault: &str) -> Duration {
        let truth = self.truth();
        settle(&format!("{:?}, {fault}", self.version), || self.wrong(&truth)).await
    }

    /// Waits until a large amount of work is done.
    pub async fn settle_all(&self, work: &str) -> Duration {
        let truth = self.truth();
        settle_all(&format!("{:?}, {work}", self.version), || self.wrong(&truth)).await
    }

    async fn wrong(&self, truth: &Truth) -> Vec<String> {
        let wrong = truth.wrong(&self.client, &self.files()).await;
        // Only then, since both lists are long for many objects.
        if wrong.is_empty() { self.failing(truth).await } else { wrong }
    }

    /// The correct objects whose last pass failed: a resync hit the fault. The next fault would find them in a longer back-off and be
    /// blamed for it.
    async fn failing(&self, truth: &Truth) -> Vec<String> {
        let address = std::fs::read_to_string(self.beside(LISTENS)).ok().and_then(|address| address.parse().ok());
        let objects = match address {
            Some(address) => objects_if_up(address).await,
            None => None,
        };
        let Some(objects) = objects else { return vec!["the operator does not list its objects".to_owned()] };
        let failing =
            objects.iter().filter(|object| object["failures"] != 0).filter_map(|object| object["name"].as_str());
        let meant = |name: &str| truth.parcels.get(name).is_some_and(|wish| wish.act == Some("panic"));
        failing.filter(|name| !meant(name)).map(|name| format!("{name} is tried again")).collect()
    }

    /// Deletes all parcels; then nothing may be left.
    pub async fn close(self) {
        self.remove(usize::MAX).await;
        self.settle_all("all deleted").await;
    }
}

impl Drop for Yard {
    /// A failed trial prints the end of the operator's log.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.beside("log")).unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(40).collect();
            eprintln!("the operator's last lines:\n{}", last.into_iter().rev().collect::<Vec<_>>().join("\n"));
        }
    }
}

/// Retries while the server cannot be reached.
async fn insist<T, F: Future<Output = Result<T, Error>>>(call: impl Fn() -> F) {
    for _ in 0..600 {
        match call().await {
            Ok(_) => return,
            // Rejected permanently: a mistake in the trial.
            Err(Error::Api(status)) if [400, 401, 403, 422].contains(&status.code) => {
                panic!("the server refuses what the trial wants: {status:?}")
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
    panic!("the server does not take what the trial wants for two minutes");
}
