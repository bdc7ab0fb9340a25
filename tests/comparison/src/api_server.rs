//! A real API server for one framework, on free ports of loopback, with a store of its own.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tempfile::TempDir;

use crate::Result;

/// The variable with the folder of the servers, as `tests/kit/real.sh` prints it.
pub const FOLDER: &str = "EVENKEEL_REAL_APISERVER";
/// The ports in the script of that folder.
const PORTS: [&str; 4] = ["26443", "22379", "22380", "26257"];
const PARTS: [&str; 3] = ["kcm", "apiserver", "etcd"];

/// A running API server with its controllers. All its processes are killed when this value is dropped.
pub struct ApiServer(TempDir);

impl ApiServer {
    /// Starts one with the libraries of Kubernetes 1.36.
    pub fn start() -> Result<Self> {
        let origin = std::env::var_os(FOLDER).map(PathBuf::from);
        let origin = origin.ok_or_else(|| format!("{FOLDER} is not set: set it to what tests/kit/real.sh prints"))?;
        let folder = tempfile::tempdir()?;
        for part in fs::read_dir(&origin)? {
            let part = part?;
            if part.path().is_dir() && !part.file_name().to_string_lossy().starts_with("run-") {
                symlink(part.path(), folder.path().join(part.file_name()))?;
            }
        }
        let script = fs::read_to_string(origin.join("up.sh"))?;
        let ports = PORTS.into_iter().zip(free_ports()?);
        let script = ports.fold(script, |script, (old, new)| script.replace(old, &new));
        fs::write(folder.path().join("up.sh"), script)?;
        let server = Self(folder);
        let mut command = Command::new("bash");
        command.arg(server.0.path().join("up.sh")).arg("modern").env("GOGC", "400");
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
        if status.success() { Ok(server) } else { Err("the API server does not start".into()) }
    }

    pub async fn client(&self) -> Result<Client> {
        client_of(Kubeconfig::read_from(self.0.path().join("kubeconfig-modern"))?).await
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        for part in PARTS {
            let file = self.0.path().join("run-modern").join(part).with_extension("pid");
            if let Ok(id) = fs::read_to_string(file) {
                // It may have ended already.
                _ = Command::new("kill").args(["-KILL", id.trim()]).stderr(Stdio::null()).status();
                wait_for_the_end(id.trim());
            }
        }
    }
}

fn wait_for_the_end(id: &str) {
    for _ in 0..500 {
        if Path::new(&format!("/proc/{id}/exe")).canonicalize().is_err() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// A client without retries and without a limit for the time between two parts of a response.
pub async fn client_of(kubeconfig: Kubeconfig) -> Result<Client> {
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    config.default_retry = false;
    config.read_timeout = None;
    Ok(Client::try_from(config)?)
}

/// All ports are open together, so that they differ; they are free again at the end.
fn free_ports() -> Result<Vec<String>> {
    let held: Vec<_> = PORTS.iter().map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
    held.iter().map(|socket| Ok(socket.local_addr()?.port().to_string())).collect()
}
