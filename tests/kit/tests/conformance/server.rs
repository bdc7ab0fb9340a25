//! The servers under test, and the environment of a rule on each.

use std::path::PathBuf;
use std::time::Duration;

use evenkeel_testkit::{Cluster, Serving};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::Value;
use uuid::Uuid;

use crate::check::Broken;
use crate::env::{CRDS, Env, text};
use crate::policy_server::{BINDINGS, POLICIES};
use crate::rule::{Rule, Where};
use crate::webhook_server::path as configurations;

pub(crate) enum Server {
    /// The embedded server without a socket.
    Kit,
    /// The embedded server over HTTP.
    Http,
    Real {
        name: &'static str,
        kubeconfig: PathBuf,
    },
}

impl Server {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Server::Kit => "kit",
            Server::Http => "http",
            Server::Real { name, .. } => name,
        }
    }

    pub(crate) fn is_embedded(&self) -> bool {
        !matches!(self, Server::Real { .. })
    }

    /// The number of rules that are checked concurrently; on a real server most rules wait for controllers.
    pub(crate) fn breadth(&self) -> usize {
        if self.is_embedded() { 8 } else { 40 }
    }

    /// Whether a real server was started with the feature gate `ShardedListAndWatch`.
    pub(crate) async fn selects_shards(&self) -> bool {
        let Server::Real { name, kubeconfig } = self else { return false };
        let is_internal_error = async {
            let client = connect(Kubeconfig::read_from(kubeconfig)?).await?;
            let env = Env { client, namespace: String::new(), cluster: None };
            Ok::<_, Broken>(env.get("/api/v1/namespaces?limit=1&shardSelector=unreadable").await?.status == 500)
        };
        let selects = is_internal_error.await.unwrap_or_default();
        if !selects {
            println!("conformance: {name} selects no shards: start it with --feature-gates=ShardedListAndWatch=true");
        }
        selects
    }

    /// Creates a separate namespace, or a separate cluster for the embedded server. The returned handle keeps it served.
    pub(crate) async fn env(&self, rule: &Rule) -> Result<(Env, Option<Serving>), Broken> {
        let unique = Uuid::new_v4().simple().to_string();
        let short: String = rule.name.replace('_', "-").chars().take(30).collect();
        let namespace = format!("{}-{}", short.trim_matches('-'), &unique[..6]);
        let (client, cluster, serving) = match self {
            Server::Kit => {
                let cluster = embedded(rule.place).await;
                (cluster.client(), Some(cluster), None)
            }
            Server::Http => {
                let cluster = embedded(rule.place).await;
                let serving = cluster.serve().await?;
                let client = connect(Kubeconfig::from_yaml(&serving.kubeconfig())?).await?;
                (client, Some(cluster), Some(serving))
            }
            Server::Real { kubeconfig, .. } => (connect(Kubeconfig::read_from(kubeconfig)?).await?, None, None),
        };
        let env = Env { client, namespace, cluster };
        env.prepare().await?;
        Ok((env, serving))
    }

    /// Deletes the objects of a rule on a real server.
    pub(crate) async fn clean(&self, env: &Env) {
        if self.is_embedded() {
            return;
        }
        // A cleanup failure must not hide the result of the rule.
        let _ = clean(env).await;
    }
}

async fn embedded(place: Where) -> Cluster {
    let builder = Cluster::builder().bookmark_interval(Duration::from_secs(1)).rbac();
    let builder = if place == Where::Sharded { builder.sharding() } else { builder };
    builder.start().await
}

async fn connect(kubeconfig: Kubeconfig) -> Result<Client, Broken> {
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    config.proxy_url = None;
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

async fn clean(env: &Env) -> Result<(), Broken> {
    let own = format!(".{}", env.namespace);
    let configurations = ["Mutating", "Validating"].map(configurations);
    for path in configurations.into_iter().chain([BINDINGS, POLICIES].map(str::to_owned)) {
        let list = env.get(&path).await?.body;
        let names = list["items"].as_array().into_iter().flatten().map(|item| text(&item["metadata"]["name"]));
        for name in names.filter(|name| name.ends_with(&own)) {
            env.send("DELETE", &format!("{path}/{name}"), "", "").await?;
        }
    }
    for path in [env.path(""), env.core("configmaps")] {
        let list = env.get(&path).await?.body;
        for item in list["items"].as_array().into_iter().flatten() {
            if item["metadata"]["finalizers"].is_array() {
                let nobody = serde_json::json!({"metadata": {"finalizers": Value::Null}});
                env.merge(&format!("{path}/{}", text(&item["metadata"]["name"])), &nobody).await?;
            }
        }
    }
    env.send("DELETE", &format!("/api/v1/namespaces/{}", env.namespace), "", "").await?;
    let crds = env.get(CRDS).await?.body;
    let own = format!(".{}", env.group());
    let names = crds["items"].as_array().into_iter().flatten().map(|crd| text(&crd["metadata"]["name"]));
    for name in names.filter(|name| name.ends_with(&own)) {
        env.send("DELETE", &format!("{CRDS}/{name}"), "", "").await?;
    }
    Ok(())
}
