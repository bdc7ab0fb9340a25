//! The classic form of the result model, for ports from Go: results, typed errors, and the end of a run.
//!
//! Requires the feature `flux`.
//!
//! Controllers that use Flux's `reconcile`, `error`, `summarize` and `patch` packages find their parts here, with the same rules in the
//! same order. Conditions are those of [`condition`](crate::condition), ranked as in Flux ([`Ranking::Flux`](crate::condition::Ranking)). A
//! ported step can also run in a modern pipeline: [`Error`] is a [`ReconcileError`](trait@crate::ReconcileError), and a [`Reconciled`] run
//! converts to an [`Outcome`](crate::Outcome).
//!
//! | Go | here |
//! | --- | --- |
//! | `(sreconcile.Result, error)` | [`Reconciled`]: the result or the error, never both |
//! | `ResultEmpty`, `ResultRequeue`, `ResultSuccess` | [`ReconcileResult`] |
//! | `LowestRequeuingResult(i, j)` | [`ReconcileResult::lowest_requeuing`], or `max` |
//! | `ctrl.Result` | [`RuntimeResult`] |
//! | `serror.NewStalling`, `NewWaiting`, `NewGeneric`; `e.Config`; any other error | [`Error::stalling`], [`Error::waiting`], [`Error::generic`]; [`Error::with`]; `?` |
//! | `fmt.Errorf("..: %w", err)` | [`Error::context`], which keeps the kind |
//! | `RuntimeResultBuilder`, `AlwaysRequeueResultBuilder` | [`ResultBuilder`], [`AlwaysRequeue`] |
//! | `ComputeReconcileResult` | [`compute`](compute()) |
//! | `summarize.Conditions`, `NewHelper(..).SummarizeAndPatch` | [`Target`], [`Summarize::end_and_patch`] |
//! | the same without a result builder | [`Summarize::patch_progress`] |
//! | `WithBipolarConditionTypes`, `WithIgnoreNotFound`, `WithPatchFieldOwner` | the fields of [`Summarize`] |
//! | `ResultProcessor`, `ErrorActionHandler`, `RecordReconcileReq` | [`ResultProcessor`] and any closure, [`ErrorActions`], [`record_reconcile_request`] |
//! | `patch.NewSerialPatcher`, `sp.Patch` with its options | [`SerialPatcher`], [`PatchOptions`] |
//! | `reconcile.NewResultFinalizer(..).Finalize`, `AddPatchOptions` | [`ResultFinalizer`] |
//! | `rreconcile.ProgressiveStatus` | [`condition::mark_progress`](crate::condition::mark_progress) |
//! | the entry of `Reconcile`, `controllerutil.AddFinalizer` | [`Entry`], [`add_finalizer`], [`end_cleanup`] |
//! | `reconcile(ctx, sp, obj, reconcilers)` | [`begin`], [`run_steps`] |
//! | `notify` | [`notice`] |
//! | `conditions.Has`, `MarkTrue`, `Delete`, .. | [`condition`](crate::condition) |
//!
//! The [guide](crate::guide) lists the deliberate differences from Flux, with the cases that show them. The main ones: the status is
//! written in one request, an error always sets Ready to False with its cause, and waiting never counts as success.
//!
//! A complete ported reconciler:
//!
#![cfg_attr(feature = "operator", doc = "```no_run")]
#![cfg_attr(not(feature = "operator"), doc = "```ignore")]
//! use evenkeel::flux::{self, *};
//! use evenkeel::condition::mark_true;
//! # use futures::future::BoxFuture;
//! # use kube::{Api, Client, CustomResource};
//! # use schemars::JsonSchema;
//! # use serde::{Deserialize, Serialize};
//! # use std::time::Duration;
//! # #[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
//! # #[kube(group = "example.dev", version = "v1", kind = "Repo", namespaced, status = "RepoStatus")]
//! # struct RepoSpec { url: String, #[serde(default)] suspend: bool }
//! #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
//! struct RepoStatus {
//!     revision: Option<String>,
//!     #[serde(flatten)]
//!     kept: flux::FluxStatus,
//! }
//!
//! impl flux::HasFluxStatus for RepoStatus {
//!     fn flux_status(&self) -> &flux::FluxStatus { &self.kept }
//!     fn flux_status_mut(&mut self) -> &mut flux::FluxStatus { &mut self.kept }
//! }
//!
//! const FINALIZER: &str = "example.dev/finalizer";
//! const READY: Target = Target {
//!     type_: "Ready",
//!     owned: &["FetchFailed", "Fetched", "Ready", "Reconciling", "Stalled"],
//!     summarize: &["FetchFailed", "Fetched", "Stalled", "Reconciling"],
//!     negative: &["FetchFailed", "Stalled", "Reconciling"],
//! };
//! const END: Summarize = Summarize { targets: &[READY], bipolar: &[], field_owner: Some("repo-controller"), ignore_not_found: true };
//!
//! fn fetch<'r>(repo: &'r mut Repo, _shared: &'r mut ()) -> BoxFuture<'r, Reconciled> {
//!     Box::pin(async move {
//!         let Some(host) = repo.spec.url.strip_prefix("https://") else {
//!             return Err(Error::stalling("InvalidUrl", "only https is known here"));
//!         };
//!         let revision = format!("{host}@main");
//!         let stamp = repo.stamp();
//!         mark_true(&mut repo.flux_status_mut().conditions, "Fetched", "Succeeded", &format!("fetched {revision}"), &stamp);
//!         repo.status.get_or_insert_default().revision = Some(revision);
//!         Ok(ReconcileResult::Success)
//!     })
//! }
//!
//! async fn reconcile(client: Client, namespace: &str, name: &str) -> Result<RuntimeResult, Error> {
//!     let Some(mut repo) = Api::<Repo>::namespaced(client.clone(), namespace).get_opt(name).await? else {
//!         return Ok(RuntimeResult::Await);
//!     };
//!     let mut patcher = SerialPatcher::new(&repo, ClientPort::new(client, &repo))?;
//!     let reconciled = match Entry::of(Read::Found(State::of(&repo, FINALIZER, repo.spec.suspend))) {
//!         Entry::Gone | Entry::Unreadable => return Ok(RuntimeResult::Await),
//!         Entry::Skip => {
//!             record_reconcile_request(&mut repo);
//!             END.patch_progress(&mut patcher, &mut repo).await?;
//!             return Ok(RuntimeResult::Await);
//!         }
//!         Entry::Cleanup => end_cleanup(&mut repo, FINALIZER, Ok(())),
//!         Entry::AddFinalizer => add_finalizer(&mut repo, FINALIZER),
//!         Entry::Reconcile => {
//!             if begin(&mut repo) == Announce::AtOnce {
//!                 END.patch_progress(&mut patcher, &mut repo).await?;
//!             }
//!             run_steps(&mut repo, &mut (), &[fetch]).await
//!         }
//!     };
//!     let builder = AlwaysRequeue { interval: Duration::from_secs(600) };
//!     let mut receipt = |repo: &mut Repo, _: &Reconciled| record_reconcile_request(repo);
//!     END.end_and_patch(&mut patcher, &mut repo, reconciled, &builder, &mut [&mut receipt]).await
//! }
//! ```
//!
//! A ported step in a pipeline. The [`Kind`] of an error determines its class:
//!
#![cfg_attr(feature = "operator", doc = "```")]
#![cfg_attr(not(feature = "operator"), doc = "```ignore")]
//! # use evenkeel::prelude::*;
//! # #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
//! # #[kube(group = "example.dev", version = "v1", kind = "Repo", namespaced, status = "RepoStatus")]
//! # pub struct RepoSpec { url: String }
//! # #[status]
//! # pub struct RepoStatus {}
//! # #[derive(ConditionSet)]
//! # #[condition_set(mod = on)]
//! # pub enum RepoCondition { #[condition(positive)] Fetched }
//! use evenkeel::flux;
//!
//! #[sub_reconciler(sets(on::Fetched))]
//! async fn fetch(repo: &Repo, cx: &mut Cx) -> Result<(), flux::Error> {
//!     if !repo.spec.url.starts_with("https://") {
//!         return Err(flux::Error::stalling("InvalidUrl", "only https is known here"));
//!     }
//!     Ok(())
//! }
//!
//! #[reconciler(conditions = RepoCondition, requeue = "10m")]
//! async fn repos(repo: &Repo, cx: &mut Pass<'_>) -> PassResult {
//!     fetch(repo, cx).await?;
//!     Ok(())
//! }
//! # fn main() {}
//! ```

mod action;
mod builder;
mod chain;
#[cfg(feature = "operator")]
mod client;
mod compute;
mod convert;
mod entry;
mod error;
mod finalizer;
mod notify;
mod object;
mod patch;
mod progress;
mod result;
mod run;
mod serial;
mod summarize;

pub use action::{ErrorActions, ErrorReport, Event, EventType, ResultProcessor};
pub use builder::{AlwaysRequeue, ResultBuilder};
pub use chain::{Step, run_steps};
#[cfg(feature = "operator")]
pub use client::ClientPort;
pub use compute::{Computed, compute};
pub use entry::{Entry, Read, State, add_finalizer, end_cleanup};
pub use error::{Config, Error, FAILED, Kind};
pub use finalizer::{ResultFinalizer, SuccessType};
pub use notify::{Made, Notice, notice};
pub use object::{FluxStatus, HasFluxStatus, Object, REQUESTED_AT, record_reconcile_request};
pub use patch::{ConditionList, Focus, PatchError, PatchOptions, focus, merge_patch};
pub use progress::{Announce, PROGRESSING, PROGRESSING_WITH_RETRY, begin};
pub use result::{ReconcileResult, Reconciled, RuntimeResult};
pub use serial::{Part, Port, SerialPatcher};
pub use summarize::{RunEnd, Summarize, Target};
