//! The recipe: an operator with every form of the pipeline grammar, whose steps follow the spec of the object.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use evenkeel::prelude::*;
use kube::core::CustomResourceExt;
use kube::{CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How a recipe is to be cooked.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Recipe", namespaced, status = "RecipeStatus")]
#[serde(default)]
pub struct RecipeSpec {
    /// What a step does, by its name, or a guest, by theirs: `invalid`, `broken`, `poll`, `slow`, `nothing`, `panic`, `hang`, `wait`; it
    /// succeeds unless set. After `meet ` it does so once another step meets it.
    pub acts: BTreeMap<String, String>,
    /// Whether the taste step runs.
    pub taste: bool,
    /// Whether the joined steps store what they found at once.
    pub record: bool,
    /// Who is greeted.
    pub guests: Vec<String>,
}

/// What became of it.
#[evenkeel::status]
pub struct RecipeStatus {
    /// What the taste step found.
    pub taste: Option<String>,
    /// What the boil step made.
    pub soup: Option<String>,
    /// What the fry step made.
    pub steak: Option<String>,
    /// What the one or the other made last.
    pub last: Option<String>,
}

/// The conditions of a recipe.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum RecipeCondition {
    /// The ingredients are there.
    #[condition(positive)]
    Shopped,
    /// It tastes.
    #[condition(positive)]
    Tasted,
    /// Salt is missing.
    #[condition(negative)]
    Bland,
    /// The soup is done.
    #[condition(positive)]
    Boiled,
    /// The steak is done.
    #[condition(positive)]
    Fried,
    /// The guests are welcome.
    #[condition(positive)]
    Greeted,
    /// It is on the table.
    #[condition(positive)]
    Served,
}

/// What can go wrong with a recipe.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum RecipeError {
    /// Stalled.
    #[error("{0} cannot be done")]
    #[class(stalled)]
    Impossible(String),
    /// Waiting.
    #[error("{0} takes its time")]
    #[class(waiting(poll = "5s"))]
    Early(String),
    /// Waiting for longer.
    #[error("{0} takes its time")]
    #[class(waiting(poll = "1h"))]
    Slow(String),
    /// Transient.
    #[error("{0} went wrong")]
    #[class(transient)]
    Burnt(String),
    /// A call failed.
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
    /// Ignored.
    #[error("{0} has nothing to do")]
    #[class(ignored)]
    Idle(String),
}

/// Where it is cooked.
pub struct Kitchen {
    log: Mutex<Vec<String>>,
    meeting: tokio::sync::Barrier,
    /// Held by a test to block a waiting step.
    pub hold: tokio::sync::Mutex<()>,
}

impl Default for Kitchen {
    fn default() -> Self {
        Self { log: Mutex::default(), meeting: tokio::sync::Barrier::new(2), hold: tokio::sync::Mutex::default() }
    }
}

impl Kitchen {
    /// The log lines of the steps, in order.
    ///
    /// # Panics
    /// Never, unless another test panicked before.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.log.lock().expect("not poisoned").clone()
    }

    async fn act(&self, recipe: &Recipe, step: &str) -> Result<(), RecipeError> {
        self.log.lock().expect("not poisoned").push(step.to_owned());
        let step = step.to_owned();
        let how = recipe.spec.acts.get(&step).map_or("", String::as_str);
        let how = match how.strip_prefix("meet ") {
            Some(then) => {
                self.meeting.wait().await;
                then
            }
            None => how,
        };
        match how {
            "invalid" => Err(RecipeError::Impossible(step)),
            "broken" => Err(RecipeError::Burnt(step)),
            "poll" => Err(RecipeError::Early(step)),
            "slow" => Err(RecipeError::Slow(step)),
            "hang" => std::future::pending().await,
            "wait" => {
                drop(self.hold.lock().await);
                Ok(())
            }
            "nothing" => Err(RecipeError::Idle(step)),
            "panic" => panic!("{step} fell over"),
            _ => Ok(()),
        }
    }
}

/// Buys the ingredients.
#[sub_reconciler(sets(on::Shopped))]
pub async fn shop(recipe: &Recipe, kitchen: &Arc<Kitchen>, _cx: &mut Cx) -> Result<String, RecipeError> {
    kitchen.act(recipe, "shop").await?;
    Ok(recipe.name_any())
}

/// Tastes, with an external effect: a spoon.
#[sub_reconciler(sets(on::Tasted, on::Bland), external)]
pub async fn taste(recipe: &Recipe, kitchen: &Arc<Kitchen>, cx: &mut Cx) -> Result<String, RecipeError> {
    kitchen.act(recipe, "taste").await?;
    if recipe.spec.acts.contains_key("salt") {
        cx.set(on::Bland, ConditionStatus::True, "NoSalt", "salt is missing");
    }
    cx.status().taste = Some("fine".into());
    Ok("fine".into())
}

/// Removes the spoon.
#[cleanup(of = taste)]
pub async fn wash(recipe: &Recipe, kitchen: &Arc<Kitchen>, _cx: &mut Cx<'_, taste>) -> Result<(), RecipeError> {
    kitchen.act(recipe, "wash").await
}

/// Boils the soup.
#[sub_reconciler(sets(on::Boiled))]
pub async fn boil(recipe: &Recipe, kitchen: &Arc<Kitchen>, cx: &mut Cx<'_, boil>) -> Result<&'static str, RecipeError> {
    if recipe.spec.record {
        cx.status().soup = Some("started".into());
        cx.commit().await?;
    }
    kitchen.act(recipe, "boil").await?;
    cx.status().soup = Some("done".into());
    cx.status().last = Some("soup".into());
    Ok("soup")
}

/// Fries the steak.
#[sub_reconciler(sets(on::Fried))]
pub async fn fry(recipe: &Recipe, kitchen: &Arc<Kitchen>, cx: &mut Cx<'_, fry>) -> Result<usize, RecipeError> {
    if recipe.spec.record {
        cx.status().steak = Some("started".into());
        cx.commit().await?;
    }
    kitchen.act(recipe, "fry").await?;
    cx.status().steak = Some("done".into());
    cx.status().last = Some("steak".into());
    Ok(1)
}

/// Greets a guest.
#[sub_reconciler(sets(on::Greeted))]
pub async fn greet(recipe: &Recipe, kitchen: &Arc<Kitchen>, guest: &str, _cx: &mut Cx) -> Result<(), RecipeError> {
    kitchen.act(recipe, guest).await
}

/// Serves.
#[sub_reconciler(sets(on::Served))]
pub async fn serve(
    recipe: &Recipe,
    kitchen: &Arc<Kitchen>,
    dish: &str,
    taste: Option<&str>,
    cx: &mut Cx,
) -> Result<(), RecipeError> {
    kitchen.act(recipe, "serve").await?;
    cx.set(on::Served, ConditionStatus::True, "Served", format!("{dish}, {}", taste.unwrap_or("untasted")));
    Ok(())
}

/// The pipeline.
#[reconciler(conditions = RecipeCondition, timeout = "3s")]
pub async fn recipe(recipe: &Recipe, kitchen: &Arc<Kitchen>, cx: &mut Pass<'_>) -> PassResult {
    let dish = shop(recipe, kitchen, cx).await?;
    let found = if recipe.spec.taste {
        let found = taste(recipe, kitchen, cx).await?;
        Some(found)
    } else {
        skip(taste, "NotAsked");
        None
    };
    let (soup, steaks) = join(boil(recipe, kitchen, cx), fry(recipe, kitchen, cx)).await?;
    for guest in &recipe.spec.guests {
        greet(recipe, kitchen, guest, cx).await?;
    }
    serve(recipe, kitchen, &format!("{dish}: {soup} and {steaks} steak"), found.as_deref(), cx).await?;
    Ok(())
}

/// A recipe with this name and spec.
#[must_use]
pub fn a_recipe(name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Recipe", "metadata": { "name": name }, "spec": spec })
}

/// The CRD of the kind.
#[must_use]
pub fn definition() -> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition {
    Recipe::crd()
}
