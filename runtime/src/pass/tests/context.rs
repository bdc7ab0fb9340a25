//! The context of a pass for tests: a kind, a closure as the author's code, and an API server with scripted responses.

use std::any::TypeId;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::client::decode::Decoder;
use crate::condition::{Condition, ConditionInfo, Polarity};
use crate::config::Fingerprint;
use crate::dependency::{Access, Reference};
use crate::interval::Jitter;
use crate::leadership::ShardGates;
use crate::outcome::PassResult;
use crate::pass::api::scripted::{Answer, Script};
use crate::pass::context::{PassContext, PassSetup};
use crate::pipeline::context::Pass;
use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::hook::{Announcement, Known};
use crate::pipeline::object::Object;
use crate::queue::meter::Meter;
use crate::queue::{Key, Queue};
use crate::status::fields::Fields;
use crate::status::{ObservedInputs, StatusContract};
use crate::trigger::EnabledTriggers;
use crate::watch::{Health, Primary, RelatedCaches, Scope, SharedWatches, Streaming};
use crate::wiring::handler::Erased;
use crate::wiring::policy::Policy;
use crate::wiring::{KindInfo, OperatorNames, StepWiring, Wiring};

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Thing", namespaced, status = "ThingStatus")]
pub(super) struct ThingSpec {
    size: u32,
}

#[derive(JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ThingStatus {
    observed_generation: Option<i64>,
    conditions: Vec<Condition>,
    observed_inputs: Option<ObservedInputs>,
}

impl StatusContract for ThingStatus {
    type Draft = Self;

    fn observed_generation(&self) -> Option<i64> {
        self.observed_generation
    }

    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    fn observed_inputs(&self) -> Option<&ObservedInputs> {
        self.observed_inputs.as_ref()
    }

    fn last_handled_reconcile_at(&self) -> Option<&str> {
        None
    }

    fn last_handled_actions(&self) -> Option<&std::collections::BTreeMap<String, String>> {
        None
    }
}

const STORED: ConditionInfo = ConditionInfo::new("Stored", Polarity::Positive);
pub(super) static STEP: StepWiring = PLAIN_STEP;
const PLAIN_STEP: StepWiring = StepWiring { name: "store", sets: &[0], ..StepWiring::EMPTY };
pub(super) const PLAIN: Wiring = Wiring { name: "thing", conditions: &[STORED], steps: &[PLAIN_STEP], ..Wiring::EMPTY };
const EXTERNAL: Wiring = Wiring { steps: &[StepWiring { external: true, ..PLAIN_STEP }], ..PLAIN };

/// The author's code.
pub(super) type Code = for<'a> fn(&'a mut Pass<'_>) -> BoxFuture<'a, PassResult>;

struct Author {
    code: Code,
    wiring: &'static Wiring,
}

impl DynReconciler for Author {
    fn id(&self) -> TypeId {
        TypeId::of::<Self>()
    }

    fn wiring(&self) -> &'static Wiring {
        self.wiring
    }

    fn kind(&self) -> KindInfo {
        KindInfo::of::<Thing>()
    }

    fn deps(&self) -> &Erased {
        &()
    }

    fn requeue(&self, _: &Object) -> Option<Duration> {
        None
    }

    fn retry(&self, _: &Object) -> Option<Duration> {
        None
    }

    fn timeout(&self, _: &Object) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    fn is_suspended(&self, _: &Object) -> bool {
        false
    }

    fn filter(&self, _: &Object) -> bool {
        true
    }

    fn depends_on<'o>(&self, _: &'o Object) -> Cow<'o, [Reference]> {
        Cow::Borrowed(&[])
    }

    fn reconcile<'a>(&'a self, _: &'a Object, pass: &'a mut Pass<'_>) -> BoxFuture<'a, PassResult> {
        (self.code)(pass)
    }

    fn cleanup<'a>(&'a self, _: &'a Object, pass: &'a mut Pass<'_>) -> BoxFuture<'a, PassResult> {
        (self.code)(pass)
    }

    fn hook(&self) -> Option<&'static str> {
        None
    }

    fn end_pass(&self, _: &Object, _: &Erased, _: Known<'_>, _: &mut Announcement) -> serde_json::Result<Fields> {
        Ok(Fields::new())
    }
}

/// A context whose reconciler runs this code, and its API server.
pub(super) fn context(code: Code, answers: impl IntoIterator<Item = Answer>) -> (PassContext, Script) {
    of_wiring(&PLAIN, code, answers)
}

/// The same for a reconciler that needs a finalizer.
pub(super) fn external(code: Code, answers: impl IntoIterator<Item = Answer>) -> (PassContext, Script) {
    of_wiring(&EXTERNAL, code, answers)
}

/// The same for a reconciler with this wiring.
pub(super) fn of_wiring(
    wiring: &'static Wiring,
    code: Code,
    answers: impl IntoIterator<Item = Answer>,
) -> (PassContext, Script) {
    let script = Script::new(answers);
    let client = script.calls.sender.client.clone();
    let watches = SharedWatches::new(client.plain(), Health::default(), Streaming::default());
    let reconciler = Arc::new(Author { code, wiring });
    let kind = reconciler.kind();
    let context = PassContext::new(PassSetup {
        events: client.plain(),
        client,
        operator: OperatorNames::new("tester"),
        reconciler,
        primary: Primary::new(Decoder::of::<Thing>()),
        relations: RelatedCaches::new(
            &watches,
            (wiring, &OperatorNames::new("tester")),
            kind,
            Scope::default(),
            Queue::default(),
        ),
        queue: Queue::default(),
        stop: CancellationToken::new(),
        jitter: Jitter::default(),
        shard_gates: ShardGates::one(script.gate.clone()),
        enabled_triggers: EnabledTriggers::default(),
        access: Access::default(),
        gates: "".into(),
        settings: Fingerprint::default(),
        policy: Policy::default(),
        #[cfg(feature = "dependents")]
        default_service_account: None,
        selector: None,
        owner: None,
        backoff: crate::backoff::Backoff::FAILURE,
        meter: Meter::default(),
        dry_run: None,
        listeners: Arc::new([]),
    });
    (context, script)
}

/// The object in this version, with these changes.
pub(super) fn thing(version: &str, more: &Value) -> Value {
    let mut thing = json!({
        "apiVersion": "example.com/v1", "kind": "Thing", "spec": { "size": 1 },
        "metadata": { "name": "x", "namespace": "a", "uid": "u", "resourceVersion": version, "generation": 1 },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        match (name.as_str(), value) {
            ("metadata", Value::Object(fields)) => {
                fields.iter().for_each(|(field, value)| thing["metadata"][field] = value.clone());
            }
            _ => thing[name] = value.clone(),
        }
    }
    thing
}

pub(super) fn object(thing: &Value) -> Arc<Object> {
    Decoder::of::<Thing>().exact(&thing.to_string()).unwrap()
}

pub(super) fn key() -> Key {
    Key::new(Some("a"), "x")
}
