//! API servers of a test's own, which it may stop, set back and start again: the in-process one, or copies of the real ones.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use evenkeel_testkit::{Backup, Cluster, eventually};
use kube::Client;

use crate::world::{SOON, Server, World, client_of, servers};

/// An API server of a test's own.
pub enum ApiServer {
    /// In this process.
    InProcess(Box<(Cluster, Option<Backup>)>),
    /// Processes.
    Real(Real),
}

/// What the store is set back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// What was [saved](ApiServer::save).
    Saved,
    /// Nothing.
    Nothing,
    /// What it holds: the server is only started again.
    Present,
}

/// An API server and its etcd.
pub struct Real {
    folder: PathBuf,
    kubeconfig: PathBuf,
    state: PathBuf,
    /// etcd and the API server: what was started, and the id of the process.
    processes: Vec<(Vec<String>, u32)>,
}

impl ApiServer {
    /// Starts one; `None`, with a visible line, where the real servers are not at hand.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(server: Server) -> Option<Self> {
        match server {
            Server::InProcess => Some(Self::InProcess(Box::new((Cluster::start().await, None)))),
            _ => Some(Self::Real(Real::start(server)?)),
        }
    }

    /// A world on it.
    ///
    /// # Panics
    /// When it cannot be used.
    pub async fn world(&self, server: Server) -> World {
        match self {
            Self::InProcess(site) => World::beside(site.0.clone()).await,
            Self::Real(real) => World::over(server, real.client().await).await,
        }
    }

    /// Saves the present store.
    ///
    /// # Panics
    /// When it cannot.
    pub async fn save(&mut self) {
        match self {
            Self::InProcess(site) => site.1 = Some(site.0.backup()),
            Self::Real(real) => {
                real.stop();
                copy(&real.state.join("etcd"), &real.state.join("saved"));
                real.go_on().await;
            }
        }
    }

    /// Kills the server, and starts it again after some time with its store set back.
    ///
    /// # Panics
    /// When it cannot.
    pub async fn set_back(&mut self, to: To, outage: Duration) {
        match self {
            Self::InProcess(site) => {
                match to {
                    To::Saved => site.0.restore(site.1.as_ref().expect("something was saved")),
                    To::Nothing => site.0.wipe(),
                    To::Present => site.0.restore(&site.0.backup()),
                }
                tokio::time::sleep(outage).await;
            }
            Self::Real(real) => {
                real.stop();
                let (etcd, saved) = (real.state.join("etcd"), real.state.join("saved"));
                if to != To::Present {
                    fs::remove_dir_all(&etcd).expect("the data of etcd");
                }
                if to == To::Saved {
                    copy(&saved, &etcd);
                }
                tokio::time::sleep(outage).await;
                real.go_on().await;
            }
        }
    }
}

impl Real {
    fn start(server: Server) -> Option<Self> {
        let oracle = servers()?;
        let (name, kubeconfig, old) = match server {
            Server::Full => ("full", "kubeconfig", ["16443", "12379", "12380"]),
            _ => ("modern", "kubeconfig-modern", ["26443", "22379", "22380"]),
        };
        let folder = std::env::temp_dir().join(format!("evenkeel-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder of its own");
        for part in ["bin120", "binmini", "etcd35", "etcd34"].iter().filter(|part| oracle.join(part).exists()) {
            std::os::unix::fs::symlink(oracle.join(part), folder.join(part)).expect("a link");
        }
        let script = fs::read_to_string(oracle.join("up.sh")).expect("how the server is started");
        let listeners = old.map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let script = old.iter().zip(&listeners).fold(script, |script, (old, listener)| {
            let port = listener.local_addr().expect("an address").port();
            script.replace(old, &port.to_string())
        });
        drop(listeners);
        fs::write(folder.join("up.sh"), script).expect("a script");
        let mut up = Command::new("bash");
        up.arg(folder.join("up.sh")).arg(name).env("KAS", &folder).env("KCM", "0").stdout(Stdio::null());
        assert!(up.status().expect("bash").success(), "{name} does not start");
        let state = folder.join(format!("run-{name}"));
        let processes = ["etcd", "apiserver"].map(|process| running(&state.join(format!("{process}.pid"))));
        Some(Self { kubeconfig: folder.join(kubeconfig), state, folder, processes: processes.into() })
    }

    async fn client(&self) -> Client {
        client_of(&self.kubeconfig).await
    }

    fn stop(&self) {
        for (_, id) in self.processes.iter().rev() {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).stderr(Stdio::null()).status();
            while is_alive(*id) {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    async fn go_on(&mut self) {
        for (command, id) in &mut self.processes {
            let log = fs::File::create(self.state.join("again.log")).expect("a log");
            let mut again = Command::new(&command[0]);
            again.args(&command[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
            *id = again.spawn().expect("it starts again").id();
        }
        let client = self.client().await;
        let ready = || async {
            let request = http::Request::get("/readyz").body(Vec::new()).ok()?;
            client.request_text(request).await.ok()
        };
        eventually(SOON, ready).await;
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The command and the id of a process.
fn running(file: &Path) -> (Vec<String>, u32) {
    let id = fs::read_to_string(file).expect("the id of a process").trim().parse().expect("a number");
    let command = fs::read_to_string(format!("/proc/{id}/cmdline")).expect("its command");
    (command.split('\0').filter(|part| !part.is_empty()).map(ToOwned::to_owned).collect(), id)
}

/// A process that ended may still be listed until its parent takes note.
fn is_alive(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    assert!(Command::new("cp").arg("-a").args([from, to]).status().expect("cp").success(), "{from:?} to {to:?}");
}
