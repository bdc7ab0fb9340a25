//! Watches that hang, are rejected, or deliver too much: their log lines and `/readyz`.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel::operator::Reason;
use evenkeel_tests::listener::{Answer, get, listening};
use evenkeel_tests::logs::Logs;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use serde_json::json;
use tokio::time::sleep;
use tracing::subscriber::DefaultGuard;

/// An operator that has listed all objects, its log, and its listener.
struct Stage {
    world: World,
    operator: Running,
    address: SocketAddr,
    logs: Logs,
    _captured: DefaultGuard,
}

impl Stage {
    async fn new() -> Self {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&definition()).await;
        let (logs, captured) = Logs::capture();
        let (operator, address) = listening(world.prepare::<widget>(Lab::at("a")));
        let stage = Self { operator: Running::start(operator), world, address, logs, _captured: captured };
        sleep(Duration::from_secs(1)).await;
        assert_eq!(stage.readyz().await.status, 200);
        stage
    }

    async fn readyz(&self) -> Answer {
        get(self.address, "/readyz").await
    }

    /// Checks that the operator is not ready for this reason only.
    async fn is_only_broken(&self, watch: &str, why: &str) {
        let answer = self.readyz().await;
        let lines: Vec<&str> = answer.body.lines().collect();
        assert_eq!((answer.status, lines.len()), (503, 2), "{}", answer.body);
        let place = format!("watch of {watch} in namespace {}, broken for ", self.world.namespace);
        assert!(lines[1].starts_with(&place) && lines[1].ends_with(why), "{}", answer.body);
    }

    /// Checks that all log lines with these parts have this reason, and that no line suggests a role.
    fn blames_only(&self, why: &str, parts: &[&str]) {
        let logged = self.logs.with(parts);
        assert!(!logged.is_empty() && logged.iter().all(|line| line.contains(why)), "{logged:?}");
        assert_eq!(self.logs.with(&["grant the verb"]), Vec::<String>::new());
    }

    /// Checks that a new object becomes ready within a minute, and that `/readyz` answers 200.
    async fn recovers(self) {
        self.world.create::<Widget>(a_widget("last", json!({ "child": "x" }))).await;
        sleep(Duration::from_secs(60)).await;
        assert!(is_ready(&self.world.raw::<Widget>("last").await));
        assert_eq!((self.readyz().await.status, &*self.readyz().await.body), (200, "ready\n"));
        self.operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_hanging_watch_is_logged_and_clears_readiness() {
    let stage = Stage::new().await;
    stage.world.wire.fault(|call| (call.is_watch() && call.path.ends_with("/widgets")).then_some(Fault::Mute));
    stage.world.cluster().drop_watches();
    // The server has 295 s to end the watch, and the watch two minutes to recover.
    sleep(Duration::from_secs(290)).await;
    assert_eq!(stage.readyz().await.status, 200, "it may have nothing to deliver");
    sleep(Duration::from_secs(140)).await;
    let why = "the watch sent no event and did not end within 295s; \
        check the API server and everything between it and the operator, such as a proxy";
    for _ in 0..20 {
        stage.is_only_broken("widgets.tests.evenkeel.dev", why).await;
        sleep(Duration::from_secs(61)).await;
    }
    let logged = stage.logs.with(&["WARN", "the watch failed; retrying", why, "widgets.tests.evenkeel.dev"]);
    assert!((1..=6).contains(&logged.len()), "once for each time that it hung: {logged:?}");
    stage.world.wire.mend();
    // The last of them must time out first.
    sleep(Duration::from_secs(330)).await;
    stage.recovers().await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_with_refused_credentials_suggests_no_role() {
    let stage = Stage::new().await;
    stage.world.wire.fault(|call| call.path.ends_with("/configmaps").then_some(Fault::Answer(401, None)));
    stage.world.cluster().drop_watches();
    sleep(Duration::from_secs(180)).await;
    let why = "the API server rejects the credentials: planted 401; \
        check the token or certificate of the operator: it has expired, was revoked, or belongs to another cluster";
    stage.is_only_broken("configmaps", why).await;
    stage.blames_only(why, &["configmaps", "the watch failed"]);
    stage.world.wire.mend();
    stage.recovers().await;
}

#[tokio::test(start_paused = true)]
async fn refused_credentials_end_the_start_and_suggest_no_role() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.wire.fault(|_| Some(Fault::Answer(401, None)));
    let run = world.prepare::<widget>(Lab::at("a")).run_until(std::future::pending());
    let error = tokio::time::timeout(Duration::from_secs(60), run).await.expect("it ends by itself").unwrap_err();
    let text = error.to_string();
    assert_eq!(error.reason(), Reason::Config, "{text}");
    assert!(
        text.starts_with("the API server rejects the credentials: planted 401\n  help: check the token or cert"),
        "{text}"
    );
    assert!(!text.contains("grant"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_status_write_with_refused_credentials_suggests_no_role() {
    let stage = Stage::new().await;
    stage.world.wire.fault(|call| call.is_status_write().then_some(Fault::Answer(401, None)));
    stage.world.create::<Widget>(a_widget("one", json!({}))).await;
    sleep(Duration::from_secs(60)).await;
    let why = "the API server rejects the credentials: planted 401; check the token or certificate of the operator";
    stage.blames_only(why, &["the status was not written"]);
    stage.world.wire.mend();
    stage.recovers().await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_line_is_limited_to_64_mib() {
    let stage = Stage::new().await;
    let (read, floods) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, flooded) = (read.clone(), floods.clone());
    stage.world.wire.fault(move |call| {
        let is_flooded = call.is_watch() && call.path.ends_with("/configmaps");
        is_flooded.then(|| {
            floods.fetch_add(1, Ordering::SeqCst);
            Fault::Flood(read.clone())
        })
    });
    stage.world.cluster().drop_watches();
    sleep(Duration::from_secs(180)).await;
    let (counted, flooded) = (counted.load(Ordering::SeqCst), flooded.load(Ordering::SeqCst));
    assert!(flooded > 1 && counted <= 65 * flooded, "{counted} MiB of {flooded} lines");
    let why = "a line of the watch, which holds one object, is longer than 64 MiB; \
        find the oversized object and make it smaller";
    stage.is_only_broken("configmaps", why).await;
    assert!(!stage.logs.with(&["WARN", "configmaps", "the watch failed", why]).is_empty());
    stage.world.wire.mend();
    stage.recovers().await;
}
