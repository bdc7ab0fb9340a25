//! A kind with two versions.

use evenkeel::prelude::*;
use evenkeel_tests::test_env::Running;
use kube::core::crd::merge_crds;
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::kinds::Failed;
use super::lab::{Lab, NAMESPACE};
use super::plot::Plot;

pub(super) mod v1 {
    use super::{CustomResource, Deserialize, KubeSchema, Serialize};

    #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
    #[kube(group = "systems.evenkeel.dev", version = "v1", kind = "Pair", namespaced, status = "PairStatus")]
    pub(crate) struct PairSpec {
        /// The content.
        pub(crate) text: String,
    }

    #[evenkeel::status]
    pub(crate) struct PairStatus {}
}

pub(super) mod v2 {
    use super::{CustomResource, Deserialize, KubeSchema, Serialize};

    #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
    #[kube(group = "systems.evenkeel.dev", version = "v2", kind = "Pair", namespaced, status = "PairStatus")]
    pub(crate) struct PairSpec {
        /// The content.
        pub(crate) text: String,
    }

    #[evenkeel::status]
    pub(crate) struct PairStatus {}
}

/// Watchers of both versions.
macro_rules! watchers {
    ($($name:ident of $version:ident: [$($args:tt)*];)*) => { $(
        pub(super) struct $name(pub(super) Plot);

        #[watcher($($args)*)]
        impl $name {
            async fn add(&self, object: &$version::Pair, cx: &mut Cx) -> Result<(), Failed> {
                self.0.called((stringify!($name), stringify!($version)), object, None, cx).await
            }

            async fn delete(&self, object: &$version::Pair, cx: &mut Cx) -> Result<(), Failed> {
                self.0.called((stringify!($name), "delete"), object, None, cx).await
            }
        }
    )* };
}

watchers! {
    OfFirst of v1: [on(generation)];
    OfSecond of v2: [on(generation)];
    SeenFirst of v1: [plain, on(generation)];
    SeenSecond of v2: [plain, on(generation)];
}

macro_rules! texted {
    ($($version:ident)*) => { $(
        impl super::kinds::Texted for $version::Pair {
            fn text(&self) -> String {
                self.spec.text.clone()
            }

            fn object(name: &str, text: &str) -> Value {
                json!({ "apiVersion": concat!("systems.evenkeel.dev/", stringify!($version)), "kind": "Pair",
                    "metadata": { "name": name }, "spec": { "text": text } })
            }
        }
    )* };
}
texted!(v1 v2);

async fn lab() -> Lab {
    let lab = Lab::new().await;
    lab.world.install(&merge_crds(vec![v1::Pair::crd(), v2::Pair::crd()], "v1").unwrap()).await;
    lab
}

pub(super) async fn adapter(given: Value) -> Value {
    let versions = given["kind_versions"].as_array().unwrap();
    assert_eq!(versions, &["v1", "v2"]);
    match &given["reconciler_for"] {
        Value::String(version) => {
            assert_eq!(version, "v2");
            let mut lab = lab().await;
            lab.operate::<OfSecond>(OfSecond(lab.plot.clone()));
            lab.create::<v1::Pair>("x").await;
            lab.settle().await;
            let methods = lab.plot.methods();
            json!({ "reconciler_sees": format!("{} object", methods[0]), "times": methods.len() })
        }
        _ => json!({ "advice": format!("{}: {}", verdict().await, arrivals().await) }),
    }
}

/// Whether an operator with watchers of both versions starts.
async fn verdict() -> &'static str {
    let lab = lab().await;
    let operator = lab.prepare::<OfFirst>(OfFirst(lab.plot.clone())).watcher::<OfSecond>(OfSecond(lab.plot.clone()));
    let running = Running::start(operator);
    lab.settle().await;
    if running.stop().await.is_err() { "do not" } else { "do" }
}

/// How often a change arrives at two watchers that write nothing.
async fn arrivals() -> &'static str {
    let mut lab = lab().await;
    let (first, second) = (SeenFirst(lab.plot.clone()), SeenSecond(lab.plot.clone()));
    let operator = lab.prepare::<SeenFirst>(first).watcher::<SeenSecond>(second);
    lab.run(operator.namespaces([NAMESPACE]));
    lab.create::<v1::Pair>("x").await;
    lab.settle().await;
    if lab.plot.calls().len() == 2 { "each change arrives twice" } else { "each change arrives once" }
}
