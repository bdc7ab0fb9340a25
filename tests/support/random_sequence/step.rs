//! One thing that happens to the widget, to what it owns and watches, or to its operator.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use super::run::Stage;
use crate::widget::{Widget, a_widget};

/// The widget of a sequence.
pub(super) const NAME: &str = "w";

/// A step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The child's data.
    Child(&'static str),
    /// What the fetch step does.
    Fetch(&'static str),
    /// Whether the fetch step requires the secret.
    Require(bool),
    /// The label `tier`.
    Label(Option<&'static str>),
    /// An annotation.
    Annotate(&'static str, Option<&'static str>),
    /// Nothing is to be done for the widget, by annotation; or something is again.
    Suspend(bool),
    /// Somebody edits the child.
    EditChild,
    /// Somebody deletes the child.
    DeleteChild,
    /// Somebody takes the owner off the child.
    OrphanChild,
    /// The secret is there, with this content, or gone.
    Secret(Option<&'static str>),
    /// Somebody takes the finalizer off.
    DropFinalizer,
    /// The widget is deleted.
    Delete,
    /// The widget is created, if it is not there.
    Create,
    /// The revision outside the cluster moves on, and time enough passes for an operator at work to find out.
    Move(&'static str),
    /// The revision outside moves on, and a pass is asked for.
    Request(&'static str),
    /// The revision outside moves on, and a trigger tells an operator at work.
    Trigger(&'static str),
    /// Another manager writes to the status.
    ForeignStatus,
    /// The operator is stopped.
    Stop,
    /// The operator ends without a goodbye.
    Crash,
    /// The operator crashes in the middle of a pass that this child made it run.
    CrashDuring(&'static str),
    /// The operator is started, in this revision of its code.
    Start(usize),
}

impl Step {
    pub(super) async fn take(&self, stage: &mut Stage) {
        match self {
            Self::Child(data) => stage.spec(json!({ "child": data })).await,
            Self::Fetch(how) => stage.spec(json!({ "fetch": how })).await,
            Self::Require(required) => stage.spec(json!({ "secret": required.then_some("s") })).await,
            Self::Label(tier) => stage.meta(json!({ "labels": { "tier": tier } })).await,
            Self::Annotate(name, value) => stage.meta(json!({ "annotations": { *name: value } })).await,
            Self::Suspend(suspended) => {
                let value = suspended.then_some("true");
                stage.meta(json!({ "annotations": { "evenkeel.dev/suspend": value } })).await;
            }
            Self::DropFinalizer => stage.meta(json!({ "finalizers": null })).await,
            Self::EditChild => stage.child(json!({ "data": { "data": "drifted" } })).await,
            Self::OrphanChild => stage.child(json!({ "metadata": { "ownerReferences": null } })).await,
            Self::DeleteChild => drop(stage.world.api::<ConfigMap>().delete(NAME, &DeleteParams::default()).await),
            Self::Secret(content) => stage.secret(*content).await,
            Self::Delete => stage.delete().await,
            Self::Create => stage.create(a_widget(NAME, json!({ "child": "x", "interval": "10m" }))).await,
            Self::Move(revision) => stage.move_to(revision).await,
            Self::Request(revision) => stage.request(revision).await,
            Self::Trigger(revision) => stage.trigger(revision),
            Self::ForeignStatus => stage.foreign().await,
            Self::Stop => stage.stop().await,
            Self::Crash => stage.crash().await,
            Self::CrashDuring(data) => stage.crash_during(json!({ "child": data })).await,
            Self::Start(code) => stage.start(*code).await,
        }
    }
}

/// What steps do to the server. Nothing here fails: an object that is not there cannot be changed, in no run.
impl Stage {
    async fn merge(&self, patch: Value) {
        drop(self.world.api::<Widget>().patch(NAME, &PatchParams::default(), &Patch::Merge(patch)).await);
    }

    pub(super) async fn spec(&self, spec: Value) {
        self.merge(json!({ "spec": spec })).await;
    }

    pub(super) async fn meta(&self, meta: Value) {
        self.merge(json!({ "metadata": meta })).await;
    }

    async fn child(&self, patch: Value) {
        drop(self.world.api::<ConfigMap>().patch(NAME, &PatchParams::default(), &Patch::Merge(patch)).await);
    }

    async fn secret(&self, content: Option<&str>) {
        let api = self.world.api::<Secret>();
        let Some(content) = content else { return drop(api.delete("s", &DeleteParams::default()).await) };
        let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "stringData": { "k": content } });
        drop(api.patch("s", &PatchParams::apply("tests").force(), &Patch::Apply(secret)).await);
    }

    async fn foreign(&self) {
        let condition = json!({ "type": "Foreign", "status": "True", "reason": "Theirs", "message": "",
            "lastTransitionTime": "2020-01-01T00:00:00Z" });
        let applied = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Widget", "metadata": { "name": NAME },
            "status": { "conditions": [condition] } });
        let params = PatchParams::apply("neighbour").force();
        drop(self.world.api::<Widget>().patch_status(NAME, &params, &Patch::Apply(applied)).await);
    }
}
