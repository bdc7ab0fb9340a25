//! The API server: one in this process, or the one of a kubeconfig.

use std::path::{Path, PathBuf};

use evenkeel_testkit::{Cluster, Serving};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::args::Args;

/// A server to talk to. The one in this process lives as long as this value.
pub struct Server {
    /// A client for it.
    pub client: Client,
    /// What to give to `kubectl --kubeconfig`, where that is needed.
    pub kubeconfig: Option<PathBuf>,
    /// What it is, for people.
    pub what: String,
    _serving: Option<Serving>,
}

impl Server {
    /// The server that the arguments ask for; a kubeconfig for the one in this process goes into `folder`.
    ///
    /// # Errors
    /// There is no usable kubeconfig, or no port to serve on.
    pub async fn choose(args: &Args, folder: &Path) -> Result<Self, String> {
        if let Some(file) = &args.kubeconfig {
            return Self::of_file(file).await;
        }
        if args.cluster {
            let config = Config::infer().await;
            let config = config.map_err(|error| format!("no cluster: {error}; set KUBECONFIG or use --kubeconfig"))?;
            return Self::of_config(config, None);
        }
        Self::here(folder).await
    }

    async fn here(folder: &Path) -> Result<Self, String> {
        let cluster = Cluster::start().await;
        let serving = cluster.serve().await.map_err(|error| format!("no port to serve on: {error}"))?;
        let file = serving
            .write_kubeconfig(folder.join("kubeconfig"))
            .map_err(|error| format!("cannot write the kubeconfig into {}: {error}", folder.display()))?;
        Ok(Self {
            client: cluster.client(),
            kubeconfig: Some(file),
            what: format!("{} (in this process)", serving.url()),
            _serving: Some(serving),
        })
    }

    async fn of_file(file: &Path) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("cannot use {}: {error}", file.display());
        let kubeconfig = Kubeconfig::read_from(file).map_err(|error| failed(&error))?;
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        Self::of_config(config.map_err(|error| failed(&error))?, Some(file.to_owned()))
    }

    fn of_config(mut config: Config, kubeconfig: Option<PathBuf>) -> Result<Self, String> {
        let what = config.cluster_url.to_string();
        // The queue backs off by object; retries underneath would hold its places.
        config.default_retry = false;
        let client = Client::try_from(config).map_err(|error| format!("cannot talk to {what}: {error}"))?;
        Ok(Self { client, kubeconfig, what, _serving: None })
    }
}

/// What the API server said, without the rest of its answer.
#[must_use]
pub fn said(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if !status.message.is_empty() => status.message.clone(),
        other => other.to_string(),
    }
}
