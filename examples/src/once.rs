//! The course of a small example: with `--once` it sets up its objects, waits for its effect and ends; otherwise it runs like any operator.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use evenkeel::Operator;
use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::discovery::{Scope, pinned_kind};

use crate::server::{Choice, Server, message_of};

/// How long the effect may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the operator. With `--once`, it applies `objects` (YAML documents) to the API server of `--kubeconfig FILE`, or to one in this process,
/// prints what `effect` returns, and ends.
///
/// # Errors
/// The operator does not run, the server rejects an object, or there is no effect within a minute.
pub async fn main(operator: Operator, objects: &str, effect: impl Effect) -> Result<(), Box<dyn std::error::Error>> {
    match is_once() {
        true => once(async |_| Ok(operator), objects, effect).await,
        false => Ok(operator.run_cli().await?),
    }
}

/// The same as [`main`], for an operator that needs a client to find its kind. Without `--once` it runs until Ctrl-C, with the kubeconfig
/// that kube finds. `--listen 127.0.0.1:8080` serves its metrics, probes and debug page.
///
/// # Errors
/// Same as [`main`], or there is no kubeconfig.
pub async fn main_with(
    operator: impl AsyncFnOnce(&Client) -> kube::Result<Operator>,
    objects: &str,
    effect: impl Effect,
) -> Result<(), Box<dyn std::error::Error>> {
    if is_once() {
        return once(operator, objects, effect).await;
    }
    let client = Client::try_default().await.map_err(|error| {
        Shown(format!("no cluster is configured: {error}\n  help: set KUBECONFIG, or run it with `--once`"))
    })?;
    let stopped = async { drop(tokio::signal::ctrl_c().await) };
    let operator = operator(&client).await.map_err(|error| no_kind(&error))?.client(client);
    let operator = match flag("--listen") {
        Some(address) => operator.listen(address.parse()?),
        None => operator,
    };
    Ok(operator.run_until(stopped).await?)
}

/// An error that `main` prints as text.
struct Shown(String);

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Shown {}

fn no_kind(error: &kube::Error) -> Shown {
    let help = "write a kind that the API server serves, for example `--kind apps/v1/Deployment`";
    Shown(format!("the kind was not found: {}\n  help: {help}", message_of(error)))
}

/// The value of a flag of the command line.
#[must_use]
pub fn flag(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| *argument != name).nth(1)
}

fn is_once() -> bool {
    std::env::args().any(|argument| argument == "--once")
}

/// Returns what the example has done, once it has.
pub trait Effect: AsyncFn(&Client) -> kube::Result<Option<String>> {}
impl<F: AsyncFn(&Client) -> kube::Result<Option<String>>> Effect for F {}

async fn once(
    operator: impl AsyncFnOnce(&Client) -> kube::Result<Operator>,
    objects: &str,
    effect: impl Effect,
) -> Result<(), Box<dyn std::error::Error>> {
    let kubeconfig = flag("--kubeconfig").map(PathBuf::from);
    let folder = tempfile::tempdir()?;
    let choice = Choice { kubeconfig, cluster: false, namespace: "default".into(), listen: None };
    let server = Server::choose(&choice, folder.path()).await?;
    for document in objects.split("\n---\n") {
        apply(&server.client, document).await?;
    }
    let operator = operator(&server.client).await.map_err(|error| no_kind(&error))?.client(server.client.clone());
    tokio::select! {
        ended = operator.run_until(std::future::pending()) => {
            Err(ended.err().map_or_else(|| "the operator ended".into(), Into::into))
        }
        shown = wait_for(&server.client, effect) => {
            println!("{}", shown?);
            Ok(())
        }
    }
}

async fn apply(client: &Client, document: &str) -> Result<(), Box<dyn std::error::Error>> {
    let object: DynamicObject = serde_saphyr::from_str(document)?;
    let kind = object.types.clone().unwrap_or_default().try_into()?;
    let (resource, capabilities) = pinned_kind(client, &kind).await?;
    let api: Api<DynamicObject> = match capabilities.scope {
        Scope::Namespaced => Api::default_namespaced_with(client.clone(), &resource),
        Scope::Cluster => Api::all_with(client.clone(), &resource),
    };
    let name = object.metadata.name.clone().unwrap_or_default();
    let applied = api.patch(&name, &PatchParams::apply("example").force(), &Patch::Apply(&object)).await;
    applied.map(drop).map_err(|error| format!("cannot apply {} {name}: {}", kind.kind, message_of(&error)).into())
}

async fn wait_for(client: &Client, effect: impl Effect) -> Result<String, Box<dyn std::error::Error>> {
    let shown = async {
        loop {
            if let Some(shown) = effect(client).await? {
                return Ok(shown);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, shown).await.map_err(|_| format!("no effect within {PATIENCE:?}"))?
}
