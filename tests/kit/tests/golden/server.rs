//! The servers for the replay of cases.

use std::path::Path;
use std::time::Duration;

use evenkeel_testkit::Cluster;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::binding::Writers;
use crate::case::Exchange;

/// Timeouts.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// For a read that depends on a controller.
    pub(crate) settle: Duration,
    pub(crate) retry: Duration,
    /// For a watch event.
    pub(crate) event: Duration,
    /// For a periodic bookmark.
    pub(crate) bookmark: Duration,
    /// How long a stream must be silent to count as idle.
    pub(crate) quiet: Duration,
    /// For the head or the end of a response.
    pub(crate) answer: Duration,
}

/// The recordings show that the controllers of a real server need time.
const GC_DELAY: Duration = Duration::from_secs(1);

impl Pace {
    pub(crate) const REAL: Self = Self {
        settle: Duration::from_secs(15),
        retry: Duration::from_millis(100),
        event: Duration::from_secs(5),
        bookmark: Duration::from_secs(80),
        quiet: Duration::from_millis(300),
        answer: Duration::from_secs(15),
    };

    pub(crate) const KIT: Self = Self {
        settle: Duration::from_secs(6),
        retry: Duration::from_millis(10),
        event: Duration::from_secs(2),
        bookmark: Duration::from_secs(3),
        quiet: Duration::from_millis(50),
        answer: Duration::from_secs(10),
    };

    /// Short timeouts for steps that are known to differ.
    pub(crate) fn hurried(self) -> Self {
        let brief = Duration::from_millis(300);
        Self { settle: Duration::ZERO, event: brief, bookmark: brief, answer: Duration::from_secs(4), ..self }
    }
}

/// Clients for one server with different users.
pub(crate) struct Clients {
    pub(crate) admin: Client,
    pub(crate) nobody: Client,
    pub(crate) anonymous: Client,
    pub(crate) writers: Writers,
    /// The embedded server, whose history can be compacted.
    pub(crate) cluster: Option<Cluster>,
}

impl Clients {
    pub(crate) fn of(&self, exchange: &Exchange) -> &Client {
        match exchange.user.as_deref() {
            // The request was recorded with its own credentials or with none, so the client must not add any.
            _ if exchange.headers.contains_key("Authorization") => &self.anonymous,
            Some("nobody") => &self.nobody,
            _ => &self.admin,
        }
    }

    /// A new embedded server with the options of the recording server: `full` has RBAC.
    pub(crate) async fn embedded(like: &str) -> Self {
        let builder = Cluster::builder().bookmark_interval(Duration::from_secs(1)).gc_delay(GC_DELAY);
        let cluster = if like == "full" { builder.rbac().start().await } else { builder.start().await };
        let (nobody, anonymous) = (cluster.client_as("kas-nobody"), cluster.client_as("system:anonymous"));
        Self { admin: cluster.client(), nobody, anonymous, writers: Writers::Alone, cluster: Some(cluster) }
    }

    /// A real server, from the kubeconfig of its start script.
    pub(crate) async fn connect(kubeconfig: &Path) -> Result<Self, String> {
        let admin = config(kubeconfig, "admin").await?;
        let mut anonymous = admin.clone();
        anonymous.auth_info = kube::config::AuthInfo::default();
        let client = |config: Config| Client::try_from(config).map_err(|error| error.to_string());
        let nobody = client(config(kubeconfig, "nobody").await?)?;
        Ok(Self {
            admin: client(admin)?,
            nobody,
            anonymous: client(anonymous)?,
            writers: Writers::Others,
            cluster: None,
        })
    }
}

async fn config(path: &Path, context: &str) -> Result<Config, String> {
    let kubeconfig = Kubeconfig::read_from(path).map_err(|error| error.to_string())?;
    let options = KubeConfigOptions { context: Some(context.to_owned()), ..Default::default() };
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(|error| error.to_string())?;
    config.proxy_url = None;
    config.default_retry = false;
    Ok(config)
}
