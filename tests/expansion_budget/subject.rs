//! The counted subject: a reconciler of trivial steps, and the same steps called without it.

use std::fmt::Write;

const HEAD: &str = r#"
use std::future::Future;
use std::pin::pin;
use std::task::Context;
use evenkeel::prelude::*;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "budget.evenkeel.dev", version = "v1", kind = "Repo", namespaced, status = "RepoStatus")]
pub struct RepoSpec {}
#[status]
pub struct RepoStatus {}
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum Failed {
    #[error("no")]
    #[class(transient)]
    No,
}
"#;

/// How the steps are called.
#[derive(Clone, Copy)]
pub(crate) enum Called {
    /// In sequence, as an author without the framework would.
    ByHand,
    /// By a `#[reconciler]`.
    ByReconciler,
}

/// A library with `steps` steps whose futures are polled. `extra` is added to the arguments of each step, `body` to its body.
pub(crate) fn source(steps: usize, called: Called, extra: &str, body: &str) -> String {
    let mut text = HEAD.to_owned();
    let conditions = each(steps, |n| format!("#[condition(positive)] C{n},"));
    let _ = writeln!(text, "#[derive(ConditionSet)] #[condition_set(mod = on)] pub enum Conditions {{ {conditions} }}");
    text += &each(steps, |n| {
        format!(
            "#[sub_reconciler(sets(on::C{n}){extra})]
            pub async fn step{n}(repo: &Repo, cx: &mut Cx) -> Result<(), Failed> {{ {body} Err(Failed::No) }}\n"
        )
    });
    text += &match called {
        Called::ByHand => by_hand(steps),
        Called::ByReconciler => by_reconciler(steps),
    };
    text
}

fn each(steps: usize, line: impl Fn(usize) -> String) -> String {
    (0..steps).map(line).collect()
}

fn by_hand(steps: usize) -> String {
    let params = each(steps, |n| format!("c{n}: &mut Cx<'_, step{n}>,"));
    let calls = each(steps, |n| format!("step{n}(repo, c{n}).await?;"));
    let args = each(steps, |n| format!("c{n},"));
    format!(
        "pub async fn all(repo: &Repo, {params}) -> Result<(), Failed> {{ {calls} Ok(()) }}
        pub fn poll(repo: &Repo, cx: &mut Context<'_>, {params}) -> bool {{ pin!(all(repo, {args})).poll(cx).is_ready() }}"
    )
}

fn by_reconciler(steps: usize) -> String {
    let calls = each(steps, |n| format!("step{n}(repo, cx).await?;"));
    format!(
        "#[reconciler(conditions = Conditions)]
        pub async fn all(repo: &Repo, cx: &mut Pass<'_>) -> PassResult {{ {calls} Ok(()) }}
        pub fn poll(repo: &Repo, cx: &mut Context<'_>, pass: &mut Pass<'_>) -> bool {{
            pin!(<all as evenkeel::Reconciler>::reconcile(repo, &(), pass)).poll(cx).is_ready()
        }}
        pub fn undo(repo: &Repo, cx: &mut Context<'_>, pass: &mut Pass<'_>) -> bool {{
            pin!(<all as evenkeel::Reconciler>::cleanup(repo, &(), pass)).poll(cx).is_ready()
        }}"
    )
}
