//! The API server: one in this process, or the one of a kubeconfig.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use evenkeel::Operator;
use evenkeel_testkit::{Cluster, Serving};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::{conditions, wait};
use kube::{Api, Client, Config};

/// The API server and the namespace, from the command line.
#[derive(Debug, clap::Args)]
pub struct Choice {
    /// Use the API server of this kubeconfig instead of one in this process
    #[arg(long, value_name = "FILE", conflicts_with = "cluster")]
    pub kubeconfig: Option<PathBuf>,

    /// Use the API server of $KUBECONFIG, ~/.kube/config or the pod's service account
    #[arg(long)]
    pub cluster: bool,

    /// The namespace of the objects; it has to be there
    #[arg(long, default_value = "default")]
    pub namespace: String,

    /// Serve /metrics, /healthz, /readyz and /debug/objects here, for example 127.0.0.1:8080
    #[arg(long, value_name = "ADDRESS", env = "EVENKEEL_LISTEN")]
    pub listen: Option<SocketAddr>,
}

impl Choice {
    /// The operator in the namespace of the command line, with its listener, if one is asked for.
    pub fn configure(&self, operator: Operator, client: Client) -> Operator {
        let operator = operator.client(client).namespaces([&self.namespace]);
        match self.listen {
            Some(address) => operator.listen(address),
            None => operator,
        }
    }
}

/// An API server. The one in this process lives as long as this value.
pub struct Server {
    /// A client for the server.
    pub client: Client,
    /// The argument of `kubectl --kubeconfig`, if it is required.
    pub kubeconfig: Option<PathBuf>,
    /// A readable description of the server.
    pub what: String,
    serving: Option<Serving>,
}

impl Server {
    /// Returns the server of the command line; writes the kubeconfig of the one in this process into `folder`.
    ///
    /// # Errors
    /// No kubeconfig is usable, or no port is free.
    pub async fn choose(choice: &Choice, folder: &Path) -> Result<Self, String> {
        if let Some(file) = &choice.kubeconfig {
            return Self::of_file(file).await;
        }
        if choice.cluster {
            let config = Config::infer().await;
            let config = config.map_err(|error| format!("no cluster: {error}; set KUBECONFIG or use --kubeconfig"))?;
            return Self::of_config(config, None);
        }
        Self::here(folder).await
    }

    /// Whether the server is in this process, without controllers and nodes.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.serving.is_some()
    }

    /// Installs the CRD and waits until it is served.
    ///
    /// # Errors
    /// The server rejects it.
    pub async fn install(&self, definition: &CustomResourceDefinition, manager: &str) -> Result<(), String> {
        let definitions = Api::<CustomResourceDefinition>::all(self.client.clone());
        let name = definition.metadata.name.as_deref().unwrap_or_default();
        let params = PatchParams::apply(manager).force();
        let installed = definitions.patch(name, &params, &Patch::Apply(definition)).await;
        installed.map_err(|error| format!("cannot install {name}: {}", message_of(&error)))?;
        let established = wait::await_condition(definitions, name, conditions::is_crd_established()).await;
        established.map(drop).map_err(|error| format!("{name} is not served: {error}"))
    }

    /// Describes how to follow the demo: the server, its kubeconfig, and a kubectl command that watches the resource. Additional lines of
    /// the example are placed before the command.
    #[must_use]
    pub fn introduction(&self, more: &[(&str, &str)], namespace: &str, resource: &str) -> String {
        let file = self.kubeconfig.as_ref().map(|file| file.display().to_string());
        let option = file.as_ref().map_or_else(String::new, |file| format!(" --kubeconfig {file}"));
        let command = format!("kubectl{option} -n {namespace} get {resource} --watch");
        let known = [Some(("API server", self.what.as_str())), file.as_deref().map(|file| ("kubeconfig", file))];
        let lines = known.into_iter().flatten().chain(more.iter().copied()).chain([("try", command.as_str())]);
        lines.map(|(what, text)| format!("{what:<12}{text}\n")).collect()
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
            serving: Some(serving),
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
        // The queue backs off per object; retries of the client would hold its slots.
        config.default_retry = false;
        let client = Client::try_from(config).map_err(|error| format!("cannot talk to {what}: {error}"))?;
        Ok(Self { client, kubeconfig, what, serving: None })
    }
}

/// The message of the API server, without the rest of its answer.
#[must_use]
pub fn message_of(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if !status.message.is_empty() => status.message.clone(),
        other => other.to_string(),
    }
}
