//! Plays a sequence in virtual time, and compares the cluster with the model at each quiet time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, NamespaceResourceScope};
use serde_json::{Value, json};

use super::super::shop::{Part, Shop, calls, definitions};
use super::invariants::Invariants;
use super::model::{Id, Model, Step};
use super::operator::{Mistake, set};

/// The component of a sequence.
const NAME: &str = "s";
/// Longer than every back-off and every pause between corrections.
const QUIET: Duration = Duration::from_secs(1500);

struct Scene {
    world: World,
    mistake: Mistake,
    operator: Option<Running>,
    /// The parts that are not ready, whatever happens.
    held: BTreeSet<&'static str>,
    invariants: Arc<Mutex<Invariants>>,
    requests: usize,
}

/// Plays the steps. The error is the first difference from the model, or the first call that is out of order.
pub(super) fn play(steps: &[Step], mistake: Mistake) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let mut scene = Scene::new(mistake).await;
        let ended = scene.play(steps).await;
        scene.take(&Step::Crash, &Model::new()).await;
        ended
    })
}

impl Scene {
    async fn new(mistake: Mistake) -> Self {
        let world = World::on(Server::InProcess).await.expect("it is always there");
        for definition in definitions() {
            world.install(&definition).await;
        }
        let invariants = Arc::new(Mutex::new(Invariants::new(world.cluster().clone())));
        let looks = Arc::clone(&invariants);
        world.wire.fault(move |call| {
            looks.lock().unwrap_or_else(PoisonError::into_inner).look(call);
            None
        });
        Self { world, mistake, operator: None, held: BTreeSet::new(), invariants, requests: 0 }
    }

    async fn play(&mut self, steps: &[Step]) -> Result<(), String> {
        let mut model = Model::new();
        self.apply(&model).await;
        self.start();
        for (at, step) in steps.iter().enumerate() {
            if model.take(step) && model.is_open {
                self.apply(&model).await;
            }
            self.take(step, &model).await;
            let mut ended = Ok(());
            if *step == Step::Quiet {
                ended = self.check(&model).await;
                // The next round has a component again.
                if !model.is_open && at + 1 < steps.len() {
                    self.lock().forget();
                    model.is_open = true;
                    self.apply(&model).await;
                    model.take(&Step::Quiet);
                    self.quiet().await;
                }
            }
            let violation = self.lock().violation.take();
            violation.map_or(ended, Err).map_err(|error| format!("step {at}, {step:?}: {error}"))?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Invariants> {
        self.invariants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&mut self) {
        if self.operator.is_none() {
            self.operator = Some(self.world.operator::<set>(self.mistake));
        }
    }

    /// Brings the spec to the server.
    async fn apply(&self, model: &Model) {
        let shop = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Shop", "metadata": { "name": NAME }, "spec": model.spec() });
        let params = PatchParams::apply("author").force();
        self.world.api::<Shop>().patch(NAME, &params, &Patch::Apply(shop)).await.expect("the spec is accepted");
    }

    /// Does what the step says, apart from the spec.
    async fn take(&mut self, step: &Step, model: &Model) {
        let maps = self.world.api::<ConfigMap>();
        let labels = json!({ "evenkeel.dev/operator": null, "evenkeel.dev/dependent-of": null });
        // What is not there cannot be changed or deleted.
        match *step {
            Step::Edit(name) if model.wanted().contains_key(&("ConfigMap", name)) => {
                let patch = Patch::Merge(json!({ "data": { "value": "edited" } }));
                drop(maps.patch(name, &PatchParams::default(), &patch).await);
            }
            Step::Unlabel(name) if model.wanted().contains_key(&("ConfigMap", name)) => {
                let patch = Patch::Merge(json!({ "metadata": { "labels": labels } }));
                drop(maps.patch(name, &PatchParams::default(), &patch).await);
            }
            Step::Delete((kind, name)) => self.delete(kind, name).await,
            Step::Plant(name) => {
                let planted = json!({ "metadata": { "name": name }, "data": { "planted": "x" } });
                let planted: ConfigMap = serde_json::from_value(planted).expect("a config map");
                drop(maps.create(&PostParams::default(), &planted).await);
            }
            Step::Ready(name, true) => drop(self.held.remove(name)),
            Step::Ready(name, false) => drop(self.held.insert(name)),
            Step::DeleteShop => drop(self.world.api::<Shop>().delete(NAME, &DeleteParams::default()).await),
            Step::Start => self.start(),
            Step::Stop => {
                if let Some(operator) = self.operator.take() {
                    operator.stop().await.expect("it ends well");
                }
            }
            Step::CrashAfter(_, turns) => {
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
                self.crash().await;
            }
            Step::Crash => self.crash().await,
            Step::Quiet => return self.quiet().await,
            _ => {}
        }
        self.attend(4).await;
    }

    async fn crash(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.crash().await;
        }
    }

    async fn delete(&self, kind: &str, name: &str) {
        let params = DeleteParams::default();
        match kind {
            "ConfigMap" => drop(self.world.api::<ConfigMap>().delete(name, &params).await),
            "Secret" => drop(self.world.api::<Secret>().delete(name, &params).await),
            _ => drop(self.world.api::<Part>().delete(name, &params).await),
        }
    }

    async fn quiet(&mut self) {
        self.held.clear();
        self.start();
        self.attend(10).await;
        tokio::time::sleep(QUIET).await;
        self.attend(10).await;
    }

    /// Is the controller of the parts for so many seconds.
    async fn attend(&self, seconds: u32) {
        for _ in 0..seconds {
            tokio::time::sleep(Duration::from_secs(1)).await;
            for part in self.world.api::<Part>().list(&ListParams::default()).await.expect("a list") {
                self.report(&part.name_any(), &json!(part)).await;
            }
        }
    }

    /// Sets the condition of a part, if it is not as it should be. A part that has gone meanwhile has none.
    async fn report(&self, name: &str, part: &Value) {
        let wanted = if self.held.contains(name) { "False" } else { "True" };
        if part["status"]["conditions"][0]["status"] == wanted {
            return;
        }
        let ready = json!({ "type": "Ready", "status": wanted, "reason": "Test", "message": "set by a test",
            "observedGeneration": part["metadata"]["generation"], "lastTransitionTime": "2026-01-01T00:00:00Z" });
        let patch = Patch::Merge(json!({ "status": { "conditions": [ready] } }));
        drop(self.world.api::<Part>().patch_status(name, &PatchParams::default(), &patch).await);
    }

    /// Compares the cluster with the model, and runs one more pass.
    async fn check(&mut self, model: &Model) -> Result<(), String> {
        let found = self.objects().await;
        if found != model.objects {
            return Err(format!("the cluster has {found:?}\nand the model {:?}", model.objects));
        }
        let shop = self.world.api::<Shop>().get_opt(NAME).await.expect("an answer").map(|shop| json!(shop));
        match shop {
            None if model.is_open => return Err("the component is gone".into()),
            Some(shop) if !model.is_open => return Err(format!("the component is there: {:#}", shop["status"])),
            Some(shop) if !is_ready(&shop) => return Err(format!("it is not ready: {:#}", shop["status"])),
            None => return Ok(()),
            Some(_) => {}
        }
        self.requests += 1;
        let token = format!("{}", self.requests);
        self.world.wire.clear();
        let requested = json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": token } } });
        let shop: Shop = self.world.merge(NAME, requested).await;
        tokio::time::sleep(Duration::from_secs(20)).await;
        let handled = json!(self.world.api::<Shop>().get(&shop.name_any()).await.expect("it is there"));
        assert_eq!(handled["status"]["lastHandledReconcileAt"], json!(token), "the pass ran");
        let sent: Vec<String> = calls(&self.world).into_iter().filter(|call| !call.ends_with("/status")).collect();
        if sent.is_empty() { Ok(()) } else { Err(format!("one more pass sends {sent:?}")) }
    }

    /// The objects of the cluster, as the model has them.
    async fn objects(&self) -> BTreeMap<Id, Option<String>> {
        let mut all = BTreeMap::new();
        let maps = self.list::<ConfigMap>().await;
        let (secrets, parts) = (self.list::<Secret>().await, self.list::<Part>().await);
        let secret = |data: &Value| ["", "MQ==", "Mg==", "Mw=="].iter().position(|one| data["value"] == *one);
        for (kind, objects) in [("ConfigMap", maps), ("Secret", secrets), ("Part", parts)] {
            for object in objects {
                let name = NAMES.iter().find(|name| object.name_any() == **name);
                let is_ours = object.annotations().contains_key("evenkeel.dev/owner");
                let value = match kind {
                    "ConfigMap" => object.data["data"]["value"].as_str().unwrap_or_default().to_owned(),
                    "Secret" => secret(&object.data["data"]).unwrap_or_default().to_string(),
                    _ => String::new(),
                };
                all.insert((kind, *name.unwrap_or(&"another")), is_ours.then_some(value));
            }
        }
        all
    }

    async fn list<K>(&self) -> Vec<DynamicObject>
    where
        K: kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        let resource = ApiResource::erase::<K>(&());
        let api = kube::Api::namespaced_with(self.world.client.clone(), &self.world.namespace, &resource);
        api.list(&ListParams::default()).await.expect("a list").items
    }
}

const NAMES: [&str; 6] = ["base", "a", "b", "login", "p", "q"];
