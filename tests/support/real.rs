//! A real API server of a single test, on free ports of loopback: the test may kill it, restart it, and wipe its store.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tokio::time::{Instant, sleep};

use crate::test_env::{client_of, servers};

/// The maximum start time of a server on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The version of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Kubernetes 1.36 libraries; allows everything.
    Modern,
    /// Kubernetes 1.20, complete, with RBAC.
    Full,
}

impl Version {
    fn word(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Full => "full",
        }
    }

    fn kubeconfig(self) -> &'static str {
        match self {
            Self::Modern => "kubeconfig-modern",
            Self::Full => "kubeconfig",
        }
    }

    /// The ports that the script defines for it.
    fn ports(self) -> [&'static str; 4] {
        match self {
            Self::Modern => ["26443", "22379", "22380", "26257"],
            Self::Full => ["16443", "12379", "12380", "16257"],
        }
    }
}

/// Parts of a server, in the order in which they start.
const PARTS: [&str; 3] = ["etcd", "apiserver", "kcm"];

/// One process of a server, and its command.
struct Part {
    name: &'static str,
    command: Vec<String>,
    log: PathBuf,
    process: Running,
}

enum Running {
    /// Started by the script as a separate process.
    ById(String),
    /// Restarted by us.
    Ours(Child),
    Ended,
}

/// A server, its store and possibly its controllers. All end when this value is dropped.
pub struct RealServer {
    folder: tempfile::TempDir,
    version: Version,
    parts: Vec<Part>,
}

impl RealServer {
    /// Starts one, with its controllers if requested; `None`, with a visible line, if the real servers are not available.
    ///
    /// # Panics
    /// It cannot be started.
    pub async fn start(version: Version, controllers: bool) -> Option<Self> {
        Self::start_with(version, controllers, "").await
    }

    /// Starts one whose API server has these further flags.
    ///
    /// # Panics
    /// It cannot be started.
    pub async fn start_with(version: Version, controllers: bool, flags: &'static str) -> Option<Self> {
        let origin = servers()?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let started = tokio::task::spawn_blocking({
            let folder = folder.path().to_owned();
            move || up(&origin, &folder, version, (controllers, flags))
        });
        let run = started.await.expect("no panic");
        let parts = if controllers { &PARTS[..] } else { &PARTS[..2] };
        let parts = parts.iter().map(|part| Part::of(&run, part)).collect();
        Some(Self { folder, version, parts })
    }

    /// Returns a client with all permissions and without retries.
    ///
    /// # Panics
    /// Its kubeconfig cannot be used.
    pub async fn client(&self) -> Client {
        client_of(&self.folder.path().join(self.version.kubeconfig())).await
    }

    /// Returns a client that has only this token, as a pod has one.
    ///
    /// # Panics
    /// The kubeconfig cannot be used.
    pub async fn client_with_token(&self, token: &str) -> Client {
        let file = Kubeconfig::read_from(self.folder.path().join(self.version.kubeconfig())).expect("the kubeconfig");
        let mut config =
            Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.expect("a usable kubeconfig");
        config.default_retry = false;
        config.auth_info = AuthInfo { token: Some(token.to_owned().into()), ..AuthInfo::default() };
        Client::try_from(config).expect("a client")
    }

    /// Kills the API server and its controllers, and retains the store.
    pub fn kill(&mut self) {
        for part in self.parts[1..].iter_mut().rev() {
            part.kill();
        }
    }

    /// Restarts the killed processes, and waits until the API server is ready.
    ///
    /// # Panics
    /// It does not become ready.
    pub async fn start_again(&mut self) {
        let client = self.client().await;
        for part in &mut self.parts {
            if matches!(part.process, Running::Ended) {
                part.start();
                // The controllers end if there is no server yet.
                if part.name == "apiserver" {
                    ready(&client).await;
                }
            }
        }
    }

    /// Kills all processes, and retains the store.
    pub fn kill_all(&mut self) {
        self.parts.iter_mut().rev().for_each(Part::kill);
    }

    /// Kills all processes and removes the store.
    ///
    /// # Panics
    /// The store cannot be removed.
    pub fn wipe(&mut self) {
        self.kill_all();
        fs::remove_dir_all(self.store()).expect("the store can be removed");
    }

    /// Kills all processes and copies the store, for [`Self::restore`].
    ///
    /// # Panics
    /// The store cannot be copied.
    pub fn back_up(&mut self) {
        self.kill_all();
        copy(&self.store(), &self.folder.path().join("backup"));
    }

    /// Kills all processes and restores the copied store.
    ///
    /// # Panics
    /// The store cannot be copied.
    pub fn restore(&mut self) {
        self.wipe();
        copy(&self.folder.path().join("backup"), &self.store());
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join(format!("run-{}", self.version.word())).join("etcd")
    }
}

impl Drop for RealServer {
    fn drop(&mut self) {
        self.kill_all();
    }
}

impl Part {
    fn of(run: &Path, name: &'static str) -> Self {
        let id = fs::read_to_string(run.join(format!("{name}.pid"))).expect("its process").trim().to_owned();
        let command = command_of(&id, run.parent().expect("the folder of the server"));
        Self { name, command, log: run.join("log").join(format!("{name}.log")), process: Running::ById(id) }
    }

    fn kill(&mut self) {
        match std::mem::replace(&mut self.process, Running::Ended) {
            Running::ById(id) => {
                // The process may have ended already.
                let _ = Command::new("kill").args(["-9", &id]).stderr(Stdio::null()).status();
                while Path::new(&format!("/proc/{id}/exe")).canonicalize().is_ok() {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            Running::Ours(mut child) => {
                let _ = child.kill();
                let _ = child.wait();
            }
            Running::Ended => {}
        }
    }

    fn start(&mut self) {
        let log = || fs::File::options().create(true).append(true).open(&self.log).expect("its log");
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdin(Stdio::null()).stdout(log()).stderr(log());
        self.process = Running::Ours(command.spawn().expect("it starts"));
    }
}

/// The command line of a process. At first it may be the shell that is about to become the program of this folder.
fn command_of(id: &str, folder: &Path) -> Vec<String> {
    for _ in 0..1_000 {
        let line = fs::read_to_string(format!("/proc/{id}/cmdline")).expect("its command line");
        let command: Vec<String> = line.split_terminator('\0').map(ToOwned::to_owned).collect();
        if command.first().is_some_and(|program| Path::new(program).starts_with(folder)) {
            return command;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the process {id} runs no program of {}", folder.display());
}

/// Starts a server in the folder, on free ports; returns the file with its process ids.
fn up(origin: &Path, folder: &Path, version: Version, (controllers, flags): (bool, &str)) -> PathBuf {
    for part in fs::read_dir(origin).expect("the folder of the real servers").filter_map(Result::ok) {
        let name = part.file_name();
        let word = name.to_string_lossy().into_owned();
        if part.path().is_dir() && !word.starts_with("run-") {
            symlink(part.path(), folder.join(name)).expect("a link");
        }
    }
    let script = fs::read_to_string(origin.join("up.sh")).expect("up.sh");
    let run = folder.join(format!("run-{}", version.word()));
    // On a busy machine an API server may end because its store is not ready in time.
    for _ in 0..3 {
        let ports = version.ports().into_iter().zip(free_ports());
        let script = ports.fold(script.clone(), |script, (old, new)| script.replace(old, &new));
        fs::write(folder.join("up.sh"), script).expect("a script of its own");
        if starts(&folder.join("up.sh"), version, (controllers, flags)) {
            return run;
        }
        println!("the {} server does not start, and is started again", version.word());
        end_leftovers(&run);
    }
    panic!("the {} server does not start", version.word());
}

/// Runs the script that starts a server, and returns whether it succeeded.
fn starts(script: &Path, version: Version, (controllers, flags): (bool, &str)) -> bool {
    let mut script_run = Command::new("bash");
    script_run.arg(script).arg(version.word()).stdin(Stdio::null()).stdout(Stdio::null());
    if !flags.is_empty() {
        script_run.env("APISERVER_FLAGS", flags);
    }
    if !controllers {
        script_run.env("KCM", "0");
    }
    script_run.status().expect("bash").success()
}

/// Ends the processes that a failed start has left, and removes their folder. With their ids, the script would take the server for started.
fn end_leftovers(run: &Path) {
    for part in ["kcm", "apiserver", "etcd"] {
        if let Ok(id) = fs::read_to_string(run.join(part).with_extension("pid")) {
            // It may have ended by itself.
            _ = Command::new("kill").args(["-KILL", id.trim()]).stderr(Stdio::null()).status();
        }
    }
    _ = fs::remove_dir_all(run);
}

/// All ports are open together, so that they differ; they are free again at the end.
fn free_ports() -> [String; 4] {
    let held = [(); 4].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    held.each_ref().map(|socket| socket.local_addr().expect("it is bound").port().to_string())
}

async fn ready(client: &Client) {
    let start = Instant::now();
    loop {
        let request = http::Request::get("/readyz").body(Vec::new()).expect("a request");
        if client.request_text(request).await.is_ok_and(|answer| answer == "ok") {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "the API server is not ready after {PATIENCE:?}");
        sleep(Duration::from_millis(100)).await;
    }
}

/// Replaces a folder by a copy of another.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    let ended = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(ended.expect("cp").success(), "cannot copy {}", from.display());
}
