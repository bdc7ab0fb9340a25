//! Kills the operator like `kill -9`, in real time: before a statement reaches PostgreSQL, or after PostgreSQL has executed it and before
//! the answer arrives. Then a new operator is started, as a cluster would do.

use std::env;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel::condition::{self, READY};
use evenkeel_testkit::{Cluster, Seed, eventually, is_ready, until};
use futures::StreamExt;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, Client, Config, CustomResourceExt};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::behaviour::{accepts, host, roles, shown, value};
use crate::operator::{PostgresUser, operator};
use crate::password;
use crate::sql::Database;

const SOON: Duration = Duration::from_secs(60);
const API: &str = "POSTGRESUSER_TEST_API";
const DATABASE: &str = "POSTGRESUSER_TEST_DATABASE";

/// The point at which the operator is killed.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// The number of the message to PostgreSQL.
    nth: usize,
    /// Whether PostgreSQL has answered the message; otherwise it never arrives.
    answered: bool,
}

/// The connection between the operator and PostgreSQL.
#[derive(Default)]
struct Wire {
    sent: AtomicUsize,
    point: Option<Point>,
    die: Notify,
}

impl Wire {
    /// Forwards connections; they end with this future.
    async fn serve(self: Arc<Self>, listener: TcpListener, to: SocketAddr) {
        let mut connections = JoinSet::new();
        while let Ok((operator, _)) = listener.accept().await {
            let Ok(database) = TcpStream::connect(to).await else { continue };
            let (from_operator, to_operator) = operator.into_split();
            let (from_database, to_database) = database.into_split();
            let struck = Arc::new(AtomicBool::new(false));
            connections.spawn(self.clone().ask(from_operator, to_database, struck.clone()));
            connections.spawn(self.clone().answer(from_database, to_operator, struck));
        }
    }

    async fn ask(self: Arc<Self>, mut from: OwnedReadHalf, mut to: OwnedWriteHalf, struck: Arc<AtomicBool>) {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            let nth = self.sent.fetch_add(1, Ordering::SeqCst) + 1;
            let strikes = self.point.filter(|point| point.nth == nth);
            struck.fetch_or(strikes.is_some(), Ordering::SeqCst);
            if strikes.is_some_and(|point| !point.answered) {
                self.die.notify_one();
                // The connection stays open until the operator is dead: a killed process receives nothing.
                while let Ok(1..) = from.read(&mut buffer).await {}
                return;
            }
            if to.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    }

    async fn answer(self: Arc<Self>, mut from: OwnedReadHalf, mut to: OwnedWriteHalf, struck: Arc<AtomicBool>) {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = from.read(&mut buffer).await.unwrap_or_default();
            let is_struck = struck.load(Ordering::SeqCst);
            if is_struck {
                self.die.notify_one();
            }
            if read == 0 || (!is_struck && to.write_all(&buffer[..read]).await.is_err()) {
                return;
            }
        }
    }
}

/// An operator in a separate process, which is killed when this value is dropped.
struct Process(Child);

impl Process {
    fn start(api: &str, database: &str) -> Self {
        let test = "crash::the_operator_process";
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", test, "--ignored", "--nocapture"]).env(API, api).env(DATABASE, database);
        Self(command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Kills the process like `kill -9`.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[tokio::test]
#[ignore = "the operator that the test below starts and kills"]
async fn the_operator_process() {
    let (Ok(api), Ok(database)) = (env::var(API), env::var(DATABASE)) else { return };
    // The process ends with the process that started it.
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    let client = Client::try_from(Config::new(api.parse().unwrap())).unwrap();
    let operator = operator(Database::parse(&database).unwrap()).client(client);
    operator.run_until(std::future::pending()).await.unwrap();
}

/// Creates a user, requests another password, changes its privileges and policy, and deletes it; the operator is killed once. Returns the
/// number of messages to PostgreSQL.
async fn scenario(point: Option<Point>) -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let role = format!("crash_{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let cluster = Cluster::start().await;
    cluster.seed(Seed::from(&PostgresUser::crd())).await.unwrap();
    let serving = cluster.serve().await.unwrap();
    let wire = Arc::new(Wire { point, ..Wire::default() });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (there, here) = (port(&host().unwrap().url), listener.local_addr().unwrap().port());
    let database = host().unwrap().url.replace(&there, &here.to_string());
    let proxy = tokio::spawn(wire.clone().serve(listener, format!("127.0.0.1:{there}").parse().unwrap()));
    let life = tokio::spawn({
        let (wire, api) = (wire.clone(), serving.url());
        async move {
            let mut first = Process::start(&api, &database);
            wire.die.notified().await;
            first.kill();
            let _second = Process::start(&api, &database);
            std::future::pending::<()>().await;
        }
    });
    run_life(&cluster, &role, point).await;
    life.abort();
    proxy.abort();
    let _ = life.await;
    wire.sent.load(Ordering::SeqCst)
}

/// Runs the life of a user, with the checks that hold wherever the operator was killed.
async fn run_life(cluster: &Cluster, role: &str, point: Option<Point>) {
    let users: Api<PostgresUser> = Api::default_namespaced(cluster.client());
    let secrets: Api<Secret> = Api::default_namespaced(cluster.client());
    let user = json!({ "apiVersion": "sql.evenkeel.dev/v1", "kind": "PostgresUser", "metadata": { "name": "u" },
        "spec": { "database": "postgres", "role": role, "privileges": ["Create"] } });
    cluster.seed(Seed::from(user)).await.unwrap();
    until(&users, "u", SOON, is_ready).await;
    let secret = || async { password::of(&secrets.get("u-postgres").await.unwrap()).unwrap() };
    let first = secret().await;
    assert_eq!((roles(role).await, accepts(role, &first).await), (1, true), "{point:?}");
    let ask = json!({ "metadata": { "annotations": {
        "evenkeel.dev/requestedAt": "one", "evenkeel.dev/rotateAt": "one" } } });
    users.patch("u", &PatchParams::default(), &Patch::Merge(ask)).await.unwrap();
    let handled = |user: &PostgresUser| {
        is_ready(user) && user.status.as_ref().is_some_and(|s| s.last_handled_reconcile_at.as_deref() == Some("one"))
    };
    until(&users, "u", SOON, handled).await;
    let second = secret().await;
    assert_ne!(first, second, "{point:?}");
    assert_eq!((accepts(role, &first).await, accepts(role, &second).await), (false, true), "{point:?}");
    let more = json!({ "spec": { "privileges": ["Temporary"] } });
    let changed = users.patch("u", &PatchParams::default(), &Patch::Merge(more)).await.unwrap();
    let is_new = |user: &PostgresUser| user.metadata.generation == changed.metadata.generation;
    until(&users, "u", SOON, |user| is_ready(user) && is_new(user)).await;
    let granted = format!(
        "SELECT string_agg(privilege_type, ' ') FROM pg_database, aclexplode(datacl) WHERE grantee = '{role}'::regrole"
    );
    assert_eq!(value(granted).await.as_deref(), Some("TEMPORARY"), "{point:?}");
    for policy in ["skip", "detach-on-delete", "manage"] {
        let patch = json!({ "metadata": { "annotations": { "evenkeel.dev/policy": policy } } });
        users.patch("u", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
        until(&users, "u", SOON, |user| is_ready(user) && shown(user) == policy).await;
        assert_eq!((roles(role).await, accepts(role, &second).await), (1, true), "{point:?}, {policy}");
    }
    users.delete("u", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { users.get_opt("u").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!(roles(role).await, 0, "{point:?}");
}

/// `.. port=5432 ..`
fn port(url: &str) -> String {
    let (_, rest) = url.split_once("port=").unwrap();
    rest.chars().take_while(char::is_ascii_digit).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_outage_is_reported_and_loses_nothing() {
    let Some(host) = host() else { return };
    let there = port(&host.url);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let database = Database::parse(&host.url.replace(&there, &address.port().to_string())).unwrap();
    let cluster = Cluster::start().await;
    let role = "outlives_outages";
    let user = json!({ "apiVersion": "sql.evenkeel.dev/v1", "kind": "PostgresUser", "metadata": { "name": "u" },
        "spec": { "database": "postgres", "role": role } });
    cluster.seed(Seed::from(&PostgresUser::crd()).and(user)).await.unwrap();
    let users: Api<PostgresUser> = Api::default_namespaced(cluster.client());
    let operator = operator(database).client(cluster.client());
    let operator = tokio::spawn(operator.run_until(std::future::pending()));
    let there = format!("127.0.0.1:{there}").parse().unwrap();
    let listen = || async { TcpListener::bind(address).await.unwrap() };
    let is_down = |user: &PostgresUser| ready_message(user).starts_with("PostgreSQL cannot be reached");
    until(&users, "u", SOON, is_down).await;
    let wire = tokio::spawn(Arc::<Wire>::default().serve(listen().await, there));
    until(&users, "u", SOON, is_ready).await;
    wire.abort();
    let change = json!({ "spec": { "privileges": ["Create"] }, "metadata": { "annotations": {
        "evenkeel.dev/requestedAt": "one", "evenkeel.dev/rotateAt": "one" } } });
    users.patch("u", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
    until(&users, "u", SOON, is_down).await;
    users.delete("u", &DeleteParams::default()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(users.get_opt("u").await.unwrap().is_some(), "its role is not dropped yet");
    let wire = tokio::spawn(Arc::<Wire>::default().serve(listen().await, there));
    eventually(SOON, || async { users.get_opt("u").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!(roles(role).await, 0);
    wire.abort();
    operator.abort();
}

/// The message of Ready.
fn ready_message(user: &PostgresUser) -> &str {
    let ready = user.status.as_ref().and_then(|status| condition::find(&status.conditions, READY));
    ready.map_or("", |ready| &ready.message)
}

/// The maximum number of points unless EVENKEEL_SWEEP=all: each takes about two seconds.
const POINTS: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_at_any_statement_loses_nothing() {
    if host().is_none() {
        return;
    }
    let messages = scenario(None).await;
    assert!(messages > 10, "{messages}");
    let both = |nth| [false, true].map(|answered| Point { nth, answered });
    let all: Vec<Point> = (1..=messages).flat_map(both).collect();
    // Odd, so that both kinds are included.
    let every =
        if env::var("EVENKEEL_SWEEP").is_ok_and(|value| value == "all") { 1 } else { all.len().div_ceil(POINTS) | 1 };
    let points: Vec<Point> = all.iter().copied().step_by(every).collect();
    eprintln!("{} of {} points: {points:?}", points.len(), all.len());
    let runs = futures::stream::iter(points).map(|point| async move {
        eprintln!("{point:?}");
        scenario(Some(point)).await
    });
    runs.buffer_unordered(4).collect::<Vec<_>>().await;
}
