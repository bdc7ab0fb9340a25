//! Shutdown of an operator as a program, with real signals.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel::Result;
use evenkeel::operator::Reason;
use evenkeel_testkit::{Cluster, Serving, eventually};
use evenkeel_tests::stubborn::stubborn;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{Widget, a_widget, definition, is_ready};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};

use crate::otlp::{Collector, span};

/// A temporary folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("evenkeel-shutdown-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The file whose creation ends the work.
    fn until(&self) -> PathBuf {
        self.0.join("until")
    }

    fn end_the_work(&self) {
        std::fs::write(self.until(), "").unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The output of a program.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<VecDeque<String>>>);

impl Printed {
    fn read(&self, stream: impl AsyncRead + Unpin + Send + 'static) {
        let (lines, mut reader) = (self.0.clone(), BufReader::new(stream).lines());
        tokio::spawn(async move {
            while let Ok(Some(line)) = reader.next_line().await {
                lines.lock().unwrap().push_back(line);
            }
        });
    }

    fn has(&self, text: &str) -> bool {
        self.0.lock().unwrap().iter().any(|line| line.contains(text))
    }

    fn text(&self) -> String {
        self.0.lock().unwrap().iter().fold(String::new(), |text, line| text + line + "\n")
    }
}

/// The stubborn operator as a child process, with a running pass.
struct Program {
    world: World,
    _serving: Serving,
    folder: Folder,
    child: Child,
    printed: Printed,
}

impl Program {
    /// Starts it and waits until the step of `one` has started.
    async fn start(name: &str, spec: Value, flags: &[&str]) -> Self {
        Self::start_with(name, spec, flags, &[]).await
    }

    async fn start_with(name: &str, spec: Value, flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let (world, folder) = (World::within(Cluster::start().await), Folder::new(name));
        world.install(&definition()).await;
        world.create::<Widget>(a_widget("one", spec)).await;
        let serving = world.cluster().serve().await.unwrap();
        let kubeconfig = folder.0.join("kubeconfig");
        std::fs::write(&kubeconfig, serving.kubeconfig()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_stubborn"));
        command.arg("--kubeconfig").arg(kubeconfig).args(flags).env("STUBBORN_UNTIL", folder.until());
        command.env_remove("RUST_LOG").env_remove("OTEL_EXPORTER_OTLP_ENDPOINT");
        command.envs(variables.iter().copied());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let printed = Printed::default();
        printed.read(child.stdout.take().unwrap());
        printed.read(child.stderr.take().unwrap());
        let program = Self { world, _serving: serving, folder, child, printed };
        program.until_printed("began one").await;
        program
    }

    async fn until_printed(&self, text: &str) {
        let printed = async {
            while !self.printed.has(text) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(SOON, printed).await.unwrap_or_else(|_| panic!("no `{text}` in\n{}", self.printed.text()));
    }

    async fn signal(&self, signal: &str) {
        let id = self.child.id().expect("it runs").to_string();
        assert!(Command::new("kill").args([signal, &id]).status().await.unwrap().success());
    }

    /// Waits for its exit code.
    async fn ended(&mut self) -> Option<i32> {
        let ended = tokio::time::timeout(SOON, self.child.wait()).await;
        ended.unwrap_or_else(|_| panic!("it goes on:\n{}", self.printed.text())).unwrap().code()
    }
}

fn busy() -> Value {
    json!({})
}

#[tokio::test(flavor = "multi_thread")]
async fn blocking_work_does_not_outlive_the_deadline() {
    let mut program = Program::start("deadline", busy(), &["--shutdown-timeout", "1s"]).await;
    program.signal("-TERM").await;
    assert_eq!(program.ended().await, Some(3), "{}", program.printed.text());
    program
        .until_printed("Error: 1 pass did not end within 1s of the stop and were dropped: stubborn default/one")
        .await;
    assert!(program.printed.has("help: ") && !program.printed.has("worked"), "{}", program.printed.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn work_within_the_grace_period_may_finish() {
    let mut program = Program::start("grace", busy(), &["--shutdown-timeout", "10m"]).await;
    program.signal("-TERM").await;
    program.until_printed("stopping").await;
    program.folder.end_the_work();
    assert_eq!(program.ended().await, Some(0), "{}", program.printed.text());
    assert!(is_ready(&program.world.raw::<Widget>("one").await), "its status was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_the_process_at_once() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let mut program = Program::start(signal, busy(), &["--shutdown-timeout", "10m"]).await;
        program.signal("-TERM").await;
        program.until_printed("stopping").await;
        program.signal(signal).await;
        assert_eq!(program.ended().await, Some(code), "{}", program.printed.text());
        assert!(!program.printed.has("worked"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_blocks_all_threads_does_not_delay_shutdown() {
    let hogs = json!({ "fetch": "hogs" });
    let mut program = Program::start("hogs", hogs.clone(), &["--shutdown-timeout", "1s"]).await;
    program.signal("-TERM").await;
    assert_eq!(program.ended().await, Some(3), "{}", program.printed.text());
    let mut program = Program::start("hogs-twice", hogs, &["--shutdown-timeout", "10m"]).await;
    program.signal("-INT").await;
    // The blocked runtime cannot print more.
    tokio::time::sleep(Duration::from_millis(200)).await;
    program.signal("-INT").await;
    assert_eq!(program.ended().await, Some(130), "{}", program.printed.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_of_dropped_passes_are_exported_before_exit() {
    let (collector, endpoint) = Collector::start();
    let mut program = Program::start("spans", busy(), &["--shutdown-timeout", "1s", "--otlp", &endpoint]).await;
    program.signal("-TERM").await;
    assert_eq!(program.ended().await, Some(3), "{}", program.printed.text());
    assert_eq!(collector.count(&span("pass")), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_set_flags_and_each_json_line_names_the_pass() {
    let variables =
        [("EVENKEEL_LOG_FORMAT", "json"), ("EVENKEEL_SHUTDOWN_TIMEOUT", "1s"), ("EVENKEEL_SHUTDOWN_TIMEOT", "1s")];
    let mut program = Program::start_with("json", busy(), &["--shutdown-timeout", "10m"], &variables).await;
    program.signal("-TERM").await;
    program.until_printed("stopping").await;
    program.folder.end_the_work();
    assert_eq!(program.ended().await, Some(0), "the flag wins: {}", program.printed.text());
    program.until_printed("did you mean EVENKEEL_SHUTDOWN_TIMEOUT?").await;
    let text = program.printed.text();
    let events: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of_pass = |event: &&Value| event["spans"].as_array().is_some_and(|spans| spans.len() > 1);
    let ids: Vec<&Value> = events.iter().filter(of_pass).map(|event| &event["spans"][1]["reconcile_id"]).collect();
    let objects = events.iter().filter(of_pass).map(|event| &event["spans"][1]["object"]);
    assert!(!ids.is_empty() && objects.eq(ids.iter().map(|_| "default/one")), "{text}");
    assert!(ids.iter().all(|id| id.as_str().is_some_and(|id| id.len() == 16)), "{text}");
    assert!(events.iter().any(|event| event["condition_message"] == "The work is done."), "{text}");
    let not_json = text.lines().filter(|line| serde_json::from_str::<Value>(line).is_err());
    assert!(not_json.count() <= 3, "the program itself prints three lines: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unresponsive_collector_does_not_delay_shutdown() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let mut program = Program::start("silent", busy(), &["--shutdown-timeout", "1s", "--otlp", &endpoint]).await;
    program.signal("-TERM").await;
    assert_eq!(program.ended().await, Some(3), "{}", program.printed.text());
    program.until_printed("dropped: stubborn default/one").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_until_returns_at_the_deadline_and_names_the_objects() {
    let (world, folder) = (World::on(Server::InProcess).await.unwrap(), Folder::new("until"));
    world.install(&definition()).await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let operator = world.prepare::<stubborn>(folder.until().into()).shutdown_timeout(Duration::from_millis(100));
    let running = tokio::spawn(operator.run_until(async { drop(stopped.await) }));
    world.create::<Widget>(a_widget("one", busy())).await;
    eventually(SOON, || async { folder.0.join("began").exists().then_some(()) }).await;
    drop(stop);
    let ended: Result = tokio::time::timeout(SOON, running).await.expect("it ends").unwrap();
    let error = ended.unwrap_err();
    let names = [format!("stubborn {}/one", world.namespace)];
    assert_eq!((error.reason(), error.dropped()), (Reason::Dropped, &names[..]), "{error}");
    folder.end_the_work();
}
