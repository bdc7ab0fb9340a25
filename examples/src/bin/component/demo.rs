//! The demo: creates a Shop, changes it and its objects, and shows what the operator does.

use std::time::Duration;

use evenkeel::condition::{self, READY};
use evenkeel_testkit::is_ready;
use examples::server::message_of;
use examples::story::{Story, print_changes};
use examples::terminal::print_line;
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::wait;
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::operator::Shop;
use crate::tree::{dependents, draw};

/// The name of the shop.
const NAME: &str = "main";
const DEADLINE: Duration = Duration::from_secs(60);

type Result<T> = std::result::Result<T, String>;

/// The demo, in one namespace of a server that has the CRD.
pub struct Demo {
    client: Client,
    namespace: String,
    shops: Api<Shop>,
}

impl Demo {
    /// Creates a demo in the namespace.
    #[must_use]
    pub fn new(client: Client, namespace: &str) -> Self {
        Self { shops: Api::namespaced(client.clone(), namespace), namespace: namespace.to_owned(), client }
    }

    fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// Waits until the shop is as described, and prints its objects.
    async fn until(&self, what: &str, is_reached: impl Fn(&Shop) -> bool) -> Result<()> {
        let reached = |shop: Option<&Shop>| shop.is_some_and(&is_reached);
        let ended = timeout(DEADLINE, wait::await_condition(self.shops.clone(), NAME, reached)).await;
        let ended = ended.map_err(|_| format!("{NAME} is not {what} after {DEADLINE:?}"))?;
        ended.map_err(|error| format!("cannot watch {NAME}: {error}"))?;
        self.print_tree().await
    }

    async fn print_tree(&self) -> Result<()> {
        print_line(draw(&dependents(&self.client, &self.namespace).await?).trim_end())
    }

    /// Changes the spec as another client does.
    async fn change(&self, what: &str, spec: Value) -> Result<()> {
        print_line(&format!("\n{what}"))?;
        let patch = Patch::Merge(json!({ "spec": spec }));
        let changed = self.shops.patch(NAME, &PatchParams::default(), &patch).await;
        changed.map(drop).map_err(|error| format!("cannot change {NAME}: {}", message_of(&error)))
    }

    async fn create(&self) -> Result<()> {
        print_line(
            "a user creates a shop: a migration first, then its settings and types, the web servers, a promotion",
        )?;
        let shop = json!({ "apiVersion": "demo.evenkeel.dev/v1", "kind": "Shop", "metadata": { "name": NAME },
            "spec": { "image": "shop:1", "discount": 20 } });
        let params = PatchParams::apply("component-demo").force();
        let made = self.shops.patch(NAME, &params, &Patch::Apply(&shop)).await;
        made.map_err(|error| format!("cannot apply {NAME}: {}", message_of(&error)))?;
        self.until("ready", is_ready).await
    }

    /// Deletes an object of the shop, and waits until it is back.
    async fn delete_service(&self) -> Result<()> {
        print_line("\na user deletes the Service: it comes back")?;
        let (services, name) =
            (Api::<Service>::namespaced(self.client.clone(), &self.namespace), format!("{NAME}-web"));
        let before = services.get(&name).await.map_err(|error| message_of(&error))?.uid();
        services.delete(&name, &DeleteParams::default()).await.map_err(|error| message_of(&error))?;
        let is_back = |service: Option<&Service>| service.is_some_and(|service| service.uid() != before);
        let ended = timeout(DEADLINE, wait::await_condition(services, &name, is_back)).await;
        ended.map_err(|_| format!("{name} is not back after {DEADLINE:?}"))?.map_err(|error| error.to_string())?;
        self.print_tree().await
    }

    /// Wants an object whose name belongs to another owner, and removes that one.
    async fn meet_foreign(&self) -> Result<()> {
        let name = format!("{NAME}-banner");
        let mut foreign = ConfigMap::default();
        foreign.metadata.name = Some(name.clone());
        foreign.metadata.annotations = Some([("meta.helm.sh/release-name".to_owned(), "old-shop".to_owned())].into());
        self.maps().create(&PostParams::default(), &foreign).await.map_err(|error| message_of(&error))?;
        self.change("a user sets a banner, but a Helm release has an object of that name", json!({ "banner": "Sale" }))
            .await?;
        self.until("blocked", |shop| reason(shop) == "DependentForeign").await?;
        print_line("\na user removes the object of the Helm release")?;
        self.maps().delete(&name, &DeleteParams::default()).await.map_err(|error| message_of(&error))?;
        self.until("ready", is_ready).await
    }
}

impl Story for Demo {
    const FAREWELL: &'static str = "deleting the shop; its objects go in order, and the type after its instances";

    async fn run(&self) -> Result<()> {
        self.create().await?;
        self.change("a user wants three web servers", json!({ "replicas": 3 })).await?;
        self.until("ready", is_ready).await?;
        self.delete_service().await?;
        self.change("the promotion ends: it is no longer wanted", json!({ "discount": null })).await?;
        self.until("ready", is_ready).await?;
        self.meet_foreign().await
    }

    async fn look_on(&self) -> Result<()> {
        print_changes(self.shops.clone(), line).await
    }

    async fn end(&self) -> Result<()> {
        let uid = match self.shops.get_opt(NAME).await.map_err(|error| message_of(&error))? {
            Some(shop) => shop.uid().unwrap_or_default(),
            None => return Ok(()),
        };
        let deleted = self.shops.delete(NAME, &DeleteParams::default()).await;
        deleted.map_err(|error| format!("cannot delete {NAME}: {}", message_of(&error)))?;
        let gone = wait::await_condition(self.shops.clone(), NAME, wait::conditions::is_deleted(&uid));
        let gone = timeout(DEADLINE, gone).await.map_err(|_| format!("{NAME} is there after {DEADLINE:?}"))?;
        gone.map_err(|error| error.to_string())?;
        match dependents(&self.client, &self.namespace).await?.as_slice() {
            [] => print_line("nothing is left"),
            left => Err(format!("these objects are left:\n{}", draw(left))),
        }
    }
}

/// The reason of Ready.
pub fn reason(shop: &Shop) -> &str {
    let ready = shop.status.as_ref().and_then(|status| condition::find(&status.conditions, READY));
    ready.map_or("", |ready| &ready.reason)
}

fn line(shop: &Shop) -> String {
    let ready = shop.status.as_ref().and_then(|status| condition::find(&status.conditions, READY));
    let ready = ready.map_or_else(|| "Unknown".to_owned(), |r| format!("{} {}: {}", r.status, r.reason, r.message));
    format!("Shop/{} Ready={ready}", shop.name_any())
}
