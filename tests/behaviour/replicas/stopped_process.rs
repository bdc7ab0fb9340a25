//! A process that is stopped (`SIGSTOP`) for longer than its term: its first write afterwards is refused, and nothing is written twice.

use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use evenkeel::prelude::*;
use evenkeel_testkit::{Entry, Serving};
use evenkeel_tests::trial::Process;
use evenkeel_tests::trial::process::end_with_parent;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Config, ResourceExt};

use super::*;

const API: &str = "EVENKEEL_STOPPED_API";
const FOLDER: &str = "EVENKEEL_STOPPED_FOLDER";
const NAME: &str = "POD_NAME";

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum PackCondition {
    /// The map is applied.
    #[condition(positive)]
    Packed,
}

/// Creates the file `begun`, waits for the file `go`, applies the map, and writes the result into the file `result`.
#[sub_reconciler(sets(on::Packed), owns(ConfigMap))]
async fn pack(widget: &Widget, folder: &Arc<Path>, cx: &mut Cx<'_, pack>) -> Result<(), ApiError> {
    // Each process has a map of its own: that of the other one in the cache would be read before the write, and the pass dropped meanwhile.
    let name = format!("{}-{}", widget.name_any(), env::var(NAME).unwrap());
    let map: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
    fs::write(folder.join("begun"), "yes").unwrap();
    // It blocks the thread: an await would drop the pass after the end of the term, before its write.
    while !folder.join("go").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let applied = cx.apply(&map).await;
    let result = applied.as_ref().err().map_or_else(|| "applied".to_owned(), ToString::to_string);
    fs::write(folder.join("result"), result).unwrap();
    applied.map(drop)
}

#[reconciler(conditions = PackCondition)]
async fn packer(widget: &Widget, folder: &Arc<Path>, cx: &mut Pass<'_>) -> PassResult {
    pack(widget, folder, cx).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the replica that the test below starts and stops"]
async fn the_replica_process() {
    let (Ok(api), Ok(folder), Ok(name)) = (env::var(API), env::var(FOLDER), env::var(NAME)) else { return };
    end_with_parent();
    let filter = tracing_subscriber::EnvFilter::from_default_env();
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).try_init();
    let mut config = Config::new(api.parse().unwrap());
    config.default_retry = false;
    // The log of the server names the process by it.
    config.auth_info.impersonate = Some(name);
    let namespace = Some("default".to_owned());
    let (lease, deadline, renew) = (5 * SECOND, 3 * SECOND, SECOND);
    let operator = Operator::new("shop").config(config).namespaces(["default"]);
    let operator = operator.reconciler::<packer>(PathBuf::from(folder).into());
    let operator = operator.replicas_with(Replicas { lease, deadline, renew, namespace, ..Replicas::default() });
    operator.run_until(std::future::pending()).await.unwrap();
}

/// A replica in a process, with a folder of its own.
struct Pod {
    name: &'static str,
    process: Process,
    folder: tempfile::TempDir,
}

impl Pod {
    fn start(serving: &Serving, name: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        let variables = [(API, serving.url()), (FOLDER, path), (NAME, name.to_owned())];
        let test = "replicas::stopped_process::the_replica_process";
        Self { name, process: Process::start(test, &variables, &folder.path().join("log")), folder }
    }

    /// Lets its bodies apply their map.
    fn release(&self) {
        fs::write(self.folder.path().join("go"), "").unwrap();
    }

    /// The text of a file.
    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.path().join(name)).ok().filter(|text| !text.is_empty())
    }

    fn requests(&self, world: &World) -> Vec<Entry> {
        world.cluster().log().filter(|entry| entry.impersonated.as_deref() == Some(self.name))
    }

    /// Its writes, without events and without those of the lease.
    fn writes(&self, world: &World) -> Vec<String> {
        let is_of_object = |entry: &&Entry| entry.is_write() && !["leases", "events"].contains(&&*entry.resource);
        self.requests(world).iter().filter(is_of_object).map(Entry::line).collect()
    }

    /// How often it has written the lease.
    fn renewals(&self, world: &World) -> usize {
        let is_stored =
            |entry: &&Entry| entry.is_write() && entry.resource == "leases" && (200..300).contains(&entry.code);
        self.requests(world).iter().filter(is_stored).count()
    }

    async fn leads(&self, world: &World) -> bool {
        let lease = lease(world).await;
        let holder = lease["spec"]["holderIdentity"].as_str().and_then(|holder| holder.rsplit_once('_'));
        holder.is_some_and(|(name, _)| name == self.name)
    }
}

/// Waits until something is true, and shows the logs otherwise.
async fn until(pods: [&Pod; 2], what: &str, is_true: impl AsyncFn() -> bool) {
    let waits = async {
        while !is_true().await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    let logs = || pods.map(|pod| pod.process.log()).join("\n");
    tokio::time::timeout(SOON, waits).await.unwrap_or_else(|_| panic!("not {what}:\n{}", logs()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_process_writes_nothing_after_its_term() {
    let world = world().await;
    let serving = world.cluster().serve().await.unwrap();
    let pods = ["one", "other"].map(|name| Pod::start(&serving, name));
    let [one, other] = &pods;
    let sees_the_lease = |pod: &Pod| pod.requests(&world).iter().any(|entry| entry.resource == "leases");
    until([one, other], "seen", async || sees_the_lease(one) && sees_the_lease(other)).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    until([one, other], "begun", async || pods.iter().any(|pod| pod.text("begun").is_some())).await;
    let (stopped, next) = if one.text("begun").is_some() { (one, other) } else { (other, one) };

    stopped.process.stop();
    stopped.release();
    next.release();
    until([one, other], "taken over", async || next.leads(&world).await).await;
    world.until::<Widget>("w", "reconciled", is_ready).await;
    let renewals = stopped.renewals(&world);
    stopped.process.resume();

    until([one, other], "written", async || stopped.text("result").is_some()).await;
    let result = stopped.text("result").unwrap();
    assert!(result.contains("the gate closed during the pass"), "{result}");
    until([one, other], "lost", async || stopped.process.log().contains("LeaseLost")).await;
    assert_eq!((stopped.writes(&world), stopped.renewals(&world)), (Vec::new(), renewals), "{}", stopped.process.log());
    let map = format!("patch configmaps default/w-{}", next.name);
    assert_eq!(next.writes(&world), [map.as_str(), "patch widgets/status default/w"]);
}
