//! The demo: what happens to five objects.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::condition::{self, Condition};
use examples::server::message_of;
use examples::story::Story;
use examples::terminal::print_line;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::core::response::Status;
use kube::runtime::wait;
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::journal::Journal;
use crate::reviews::TEAM;
use crate::site::{Site, SiteSpec};
use crate::site_v1beta1;
use crate::team::{Team, TeamSpec};
use crate::user;

const DEADLINE: Duration = Duration::from_secs(60);

type Result<T> = std::result::Result<T, String>;

/// The demo, in one namespace of a server that has the CRDs and the webhook configurations.
pub struct Demo {
    client: Client,
    journal: Arc<Journal>,
    /// The URL of the webhooks and routes.
    url: String,
    namespace: String,
    namespaces: Api<Namespace>,
    sites: Api<Site>,
    old_sites: Api<site_v1beta1::Site>,
    teams: Api<Team>,
}

impl Demo {
    /// Creates a demo in the namespace, of an app that serves at this URL.
    #[must_use]
    pub fn new(client: Client, namespace: &str, (journal, url): (Arc<Journal>, String)) -> Self {
        Self {
            journal,
            url,
            namespace: namespace.to_owned(),
            namespaces: Api::all(client.clone()),
            sites: Api::namespaced(client.clone(), namespace),
            old_sites: Api::namespaced(client.clone(), namespace),
            teams: Api::namespaced(client.clone(), namespace),
            client,
        }
    }

    /// Waits until the API server reaches the webhooks: it has to learn their certificate first.
    async fn called(&self) -> Result<()> {
        let dry_run = PostParams { dry_run: true, ..PostParams::default() };
        let mut last = String::new();
        let called = async {
            while let Err(error) = refusal(self.sites.create(&dry_run, &broken()).await) {
                last = error;
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(DEADLINE, called).await.map_err(|_| format!("the webhooks are not called after {DEADLINE:?}: {last}"))
    }

    async fn denied(&self) -> Result<()> {
        print_line("a user creates a site with mistakes: all of them are reported at once")?;
        let refused = self.sites.create(&PostParams::default(), &broken()).await;
        print_causes(&refusal(refused)?)
    }

    /// The mail service is busy at first, so its call is made again.
    async fn team(&self) -> Result<()> {
        print_line("\na user creates a team: the mail service is busy, so the call is made again")?;
        let spec = TeamSpec { domain: "example.com".into(), contact: "web@example.com".into() };
        made(self.teams.create(&PostParams::default(), &Team::new("web", spec)).await)?;
        self.journal.until("add team web, web@example.com").await?;
        ready(&self.teams, "web", |team| Some(&team.status.as_ref()?.conditions)).await?;
        print_line("\nthe team has a new address")?;
        let patch = json!({ "spec": { "contact": "sites@example.com" } });
        made(self.teams.patch("web", &PatchParams::default(), &Patch::Merge(patch)).await)?;
        self.journal.until("update team web, web@example.com -> sites@example.com").await
    }

    async fn changed_on_write(&self) -> Result<()> {
        print_line("\na user creates a site: its host becomes lower case, and it gets a label")?;
        let site = made(self.sites.create(&PostParams::default(), &shop()).await)?;
        let label = site.labels().get(TEAM).cloned().unwrap_or_default();
        print_line(&format!("  hosts {:?}, label {TEAM}={label}", site.spec.hosts))?;
        let site = ready(&self.sites, "shop", |site| Some(&site.status.as_ref()?.conditions)).await?;
        print_line(&format!("  published: {}", site.status.and_then(|status| status.address).unwrap_or_default()))?;
        print_line("\na user moves the site to another team: a rule of the CRD rejects that")?;
        let patch = json!({ "spec": { "team": "ops" } });
        let refused = self.sites.patch("shop", &PatchParams::default(), &Patch::Merge(patch)).await;
        print_causes(&refusal(refused)?)
    }

    async fn converted(&self) -> Result<()> {
        print_line("\na user creates a site in v1beta1, which has one host: it is stored in v1")?;
        let spec = site_v1beta1::SiteSpec { team: "web".into(), host: "blog.example.com".into() };
        made(self.old_sites.create(&PostParams::default(), &site_v1beta1::Site::new("blog", spec)).await)?;
        let site = made(self.sites.get("blog").await)?;
        print_line(&format!("  v1: hosts {:?}", site.spec.hosts))?;
        let patch = json!({ "spec": { "hosts": ["blog.example.com", "news.example.com"] } });
        made(self.sites.patch("blog", &PatchParams::default(), &Patch::Merge(patch)).await)?;
        let old = made(self.old_sites.get("blog").await)?;
        print_line(&format!("  v1 gets a second host; v1beta1: host {:?}", old.spec.host))?;
        let label = json!({ "metadata": { "labels": { "colour": "blue" } } });
        made(self.old_sites.patch("blog", &PatchParams::default(), &Patch::Merge(label)).await)?;
        let site = made(self.sites.get("blog").await)?;
        print_line(&format!("  v1beta1 gets a label; v1: hosts {:?}", site.spec.hosts))
    }

    async fn route(&self) -> Result<()> {
        print_line("\na user reads the hosts of the site at the app itself, which checks the user's token and right")?;
        match user::hosts(&self.client, &self.url, (self.sites.resource_url(), "blog")).await? {
            Some(hosts) => print_line(&format!("  {}", hosts.replace('\n', ", "))),
            None => print_line("  (this API server has no tokens of service accounts)"),
        }
    }

    async fn namespace(&self) -> Result<()> {
        print_line("\na namespace gets the label of a team, and loses it")?;
        let name = &self.namespace;
        self.label_namespace("web".into()).await?;
        self.journal.until(&format!("create namespace {name}")).await?;
        self.label_namespace(Value::Null).await?;
        self.journal.until(&format!("delete namespace {name}")).await
    }

    async fn label_namespace(&self, team: Value) -> Result<()> {
        let patch = Patch::Merge(json!({ "metadata": { "labels": { TEAM: team } } }));
        made(self.namespaces.patch(&self.namespace, &PatchParams::default(), &patch).await).map(drop)
    }
}

/// Waits until the object is Ready.
async fn ready<K>(api: &Api<K>, name: &str, conditions: impl Fn(&K) -> Option<&Vec<Condition>>) -> Result<K>
where
    K: Resource + Clone + Debug + Send + DeserializeOwned + 'static,
{
    let is_ready = |object: Option<&K>| object.and_then(&conditions).is_some_and(|found| condition::is_ready(found));
    let object = timeout(DEADLINE, wait::await_condition(api.clone(), name, is_ready)).await;
    let object = object.map_err(|_| format!("{name} is not ready after {DEADLINE:?}"))?;
    object.ok().flatten().ok_or_else(|| format!("{name} was deleted"))
}

impl Story for Demo {
    const FAREWELL: &'static str = "deleting the sites and the team";

    async fn run(&self) -> Result<()> {
        self.called().await?;
        self.denied().await?;
        self.team().await?;
        self.changed_on_write().await?;
        self.converted().await?;
        self.route().await?;
        self.namespace().await
    }

    async fn look_on(&self) -> Result<()> {
        std::future::pending().await
    }

    async fn end(&self) -> Result<()> {
        delete(&self.sites, "shop").await?;
        delete(&self.sites, "blog").await?;
        delete(&self.teams, "web").await?;
        self.label_namespace(Value::Null).await
    }
}

/// A site with three mistakes.
fn broken() -> Site {
    let hosts = ["https://a.example.com", "b.example.com/index.html"].map(str::to_owned);
    Site::new("broken", SiteSpec { team: "unknown".into(), hosts: hosts.into(), ..SiteSpec::default() })
}

fn shop() -> Site {
    Site::new("shop", SiteSpec { team: "web".into(), hosts: vec!["Shop.Example.com".into()], ..SiteSpec::default() })
}

fn made<K>(answer: kube::Result<K>) -> Result<K> {
    answer.map_err(|error| format!("the server rejected a request: {}", message_of(&error)))
}

/// The status of a write that must be refused.
fn refusal<K: Debug>(answer: kube::Result<K>) -> Result<Status> {
    match answer {
        Err(kube::Error::Api(status)) if status.code == 422 => Ok(*status),
        Err(error) => Err(format!("the write was refused for another reason: {}", message_of(&error))),
        Ok(object) => Err(format!("the write was not refused: {object:?}")),
    }
}

fn print_causes(status: &Status) -> Result<()> {
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    causes.try_for_each(|cause| print_line(&format!("  {}: {}", cause.field, cause.message)))
}

fn code(error: &kube::Error) -> u16 {
    if let kube::Error::Api(status) = error { status.code } else { 0 }
}

/// Deletes the object, and waits until it is gone: the app removes its finalizer.
async fn delete<K>(api: &Api<K>, name: &str) -> Result<()>
where
    K: Resource + Clone + Debug + Send + DeserializeOwned + 'static,
{
    let object = match api.delete(name, &DeleteParams::default()).await {
        Ok(deleted) => deleted.left(),
        Err(error) if code(&error) == 404 => None,
        Err(error) => return Err(format!("cannot delete {name}: {}", message_of(&error))),
    };
    let Some(uid) = object.and_then(|object| object.uid()) else { return Ok(()) };
    let gone = wait::await_condition(api.clone(), name, wait::conditions::is_deleted(&uid));
    let gone = timeout(DEADLINE, gone).await.map_err(|_| format!("{name} is there after {DEADLINE:?}"))?;
    gone.map(drop).map_err(|error| error.to_string())
}
