//! The attribute macros of evenkeel. Use them through the `evenkeel` crate, which re-exports them.
//!
//! Each folder contains one macro or a few related ones. Most folders consist of these modules:
//!
//! - `args`: the arguments as written
//! - `check`: the checks that reject them
//! - `model`: the validated arguments
//! - `expand`: the expansion of the model
//! - `fallback`: the expansion after an error
//!
//! `tests/hygiene` compiles the examples below.

#![forbid(unsafe_code)]

mod admission;
mod cleanup;
mod condition_set;
mod convert;
mod errors;
#[cfg(test)]
mod expansion_size;
#[cfg(test)]
mod expansion_tests;
mod lifecycle;
mod reconcile_error;
mod reconciler;
mod route;
mod rule;
mod status;
mod sub_reconciler;
mod syntax;
mod templates;
mod watcher;

use proc_macro::TokenStream;

/// Declares the conditions of a reconciler, one variant per condition.
///
/// List the variants in order of importance, the most important first.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[derive(ConditionSet)]
/// #[condition_set(mod = on)]
/// pub enum RepoCondition {
///     /// The remote was fetched.
///     #[condition(positive)]
///     SourceFetched,
///     /// A newer revision exists than the stored one.
///     #[condition(negative)]
///     ArtifactOutdated,
/// }
/// ```
///
/// | argument | meaning |
/// | --- | --- |
/// | `condition_set(mod = on)` | the module that contains the markers, such as `on::SourceFetched`; default: the name of the enum in snake case |
/// | `condition_set(summary(Available(SourceFetched, ArtifactStored)))` | an additional condition that summarizes the listed ones as Ready summarizes all; steps cannot set it |
/// | `condition_set(crate = ::path)` | the path of the runtime crate, if it is renamed |
/// | `condition(positive)` | True is good; set to True when its step succeeds, unless the step sets it itself |
/// | `condition(negative)` | True is bad; absent when there is nothing to report |
/// | `condition(bipolar)` | True is good, False is bad, absent is neutral; set only by the step itself or by its error |
/// | `condition(.., reasons(NewRevision = "A newer one exists", Corrupt))` | the closed set of its reasons; any other literal does not compile |
///
/// Rules for a set:
///
/// - It has at least one positive condition; otherwise success could not be reported.
/// - It has at most 64 conditions.
/// - Names are CamelCase, the Kubernetes convention for condition types.
/// - `Ready`, `Reconciling` and `Stalled` are reserved for the framework.
///
/// The doc comments of the variants appear in the CRD and on the reference page.
///
/// Generates a module with one unit struct per variant, and implements `ConditionSet` for the enum.
#[proc_macro_derive(ConditionSet, attributes(condition_set, condition))]
pub fn condition_set(item: TokenStream) -> TokenStream {
    condition_set::derive(item.into()).into()
}

/// Assigns a class to each variant of an error enum.
///
/// The class determines how the framework handles the error.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[derive(Debug, thiserror::Error, ReconcileError)]
/// pub enum RepoError {
///     #[error("the URL is not valid: {0}")]
///     #[class(stalled)]
///     InvalidUrl(String),
///     #[error(transparent)]
///     #[class(waiting)]
///     SecretMissing(#[from] Absent<Secret>),
///     #[error("the remote is busy")]
///     #[class(waiting(poll = "1m"))]
///     Busy,
/// }
/// ```
///
/// | class | meaning |
/// | --- | --- |
/// | `stalled` | a retry is useless until a person changes something |
/// | `waiting` | a precondition is not met; each change to the watched object that the variant holds as `Absent<K>`, `Unfit<K>` or `NotReady<K>` triggers a reconcile |
/// | `waiting(poll = "1m")` | a precondition is not met and cannot be watched; it is checked again after this time |
/// | `waiting(poll = self.after)` | the same, with the time from a field of the variant: an `Interval`, a `Duration` or an `Option` of either (`None` means 30 s) |
/// | `waiting(poll = requeue)` | postponed until the next resync of the reconciler (an hour if it has none) |
/// | `transient` | a retry may succeed; retried with back-off |
/// | `transient, retry = "fast"` | the same, with retries at most 30 s apart, for something that is expected soon |
/// | `transient, retry = "very-slow"` | the same, with one retry per requeue interval (an hour if there is none) |
/// | `ignored` | nothing to do; the pass counts as done |
/// | `transparent` | class, reason, event, log level, notification and retries are those of the error in the only field, such as an `ApiError` |
///
/// The class also determines the event, the log level and the notification. A variant overrides these defaults with arguments after the class:
///
/// | argument | stalled | waiting | transient | ignored | meaning |
/// | --- | --- | --- | --- | --- | --- |
/// | `severity = ".."` | `"error"` | `"info"` | `"warning"` | | sets all of the following to the defaults of the class with this severity |
/// | `event = ".."` | `"warning"` | `"normal"` | `"warning"` | `"none"` | the type of the Kubernetes event on the transition to this error |
/// | `log = ".."` | `"error"` | `"info"` | `"warn"` | `"debug"` | the level of the log line; `"none"`: no line |
/// | `notify = ..` | `true` | `false` | `true` | `false` | whether observers of the operator should notify people |
///
/// The reason of the condition is the name of the variant, unless `class(.., reason = "Word")` sets another one. The message is the `Display`
/// text of the error.
///
/// `#[reconcile_error(crate = ::path)]` on the enum sets the path of the runtime crate, if it is renamed.
///
/// Durations range from one second to thirty days. A literal outside this range does not compile; the value of a field is clamped.
///
/// Implements `ReconcileError` for the enum.
#[proc_macro_derive(ReconcileError, attributes(reconcile_error, class))]
pub fn reconcile_error(item: TokenStream) -> TokenStream {
    reconcile_error::derive(item.into()).into()
}

/// Adds the fields that the framework manages to a status struct.
///
/// These are `observedGeneration`, `conditions` (a map keyed by type), `observedInputs`, `lastHandledReconcileAt` and `lastHandledActions`.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[status]
/// pub struct GitRepositoryStatus {
///     pub artifact: Option<Artifact>,
/// }
/// ```
///
/// The schema sets the default of the status to `{observedGeneration: -1}`, so that a new object does not appear to be reconciled already.
/// Because this default has no other fields, each field must be an `Option`, a list or a map, or have a `#[serde(default)]`. An option that is
/// `None` and an empty list are not serialized.
///
/// The attribute derives `Clone`, `Debug`, `Default`, `PartialEq`, `Serialize`, `Deserialize` and `JsonSchema`, except those that a
/// `#[derive(..)]` below it already lists. Fields are serialized in camelCase unless `#[serde(rename_all = "..")]` sets another case.
/// `#[status(crate = ::path)]` sets the path of the runtime crate, if it is renamed.
///
/// `#[status(step = store)]` on a field allows only the step `store` to write it. The step may also be a path such as `git::store`:
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[status]
/// pub struct GitRepositoryStatus {
///     #[status(step = store)]
///     pub artifact: Option<Artifact>,
/// }
///
/// #[sub_reconciler(sets(on::ArtifactStored))]
/// pub async fn store(repo: &GitRepository, commit: &Commit, cx: &mut Cx) -> Result<(), RepoError> {
///     let known = cx.status().artifact.clone();
///     *cx.write(|status| &mut status.artifact) = Some(commit.archive(known)?);
///     Ok(())
/// }
/// ```
///
/// Every step can read the field as `cx.status().artifact`, which derefs to the value. An assignment to it, or `cx.write` in another step,
/// does not compile. In this case `cx.status()` returns a struct that has only the author's fields. The type of the field in the status, its
/// serialized form and its schema do not change.
///
/// Generates the struct with all fields, and implements `StatusContract` for it.
#[proc_macro_attribute]
pub fn status(args: TokenStream, item: TokenStream) -> TokenStream {
    status::attribute(args.into(), &item.into()).into()
}

/// Turns a function into a step of a reconciler.
///
#[doc = include_str!("sub_reconciler/reference.md")]
#[proc_macro_attribute]
pub fn sub_reconciler(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::attribute(args.into(), &item.into()).into()
}

/// Turns a function into a precondition: a read-only step before all others.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[precondition(sets(on::Allowed), reads(Team))]
/// pub async fn allowed(database: &Database, cx: &mut Cx) -> Result<(), WindowError> { .. }
///
/// #[reconciler(conditions = DatabaseCondition, requeue = "1h")]
/// pub async fn databases(database: &Database, server: &Server, cx: &mut Pass<'_>) -> PassResult {
///     allowed(database, cx).await?;
///     ..
/// }
/// ```
///
/// The result decides whether the pass continues:
///
/// | result | effect |
/// | --- | --- |
/// | `Ok` | the pass continues |
/// | an error of class `waiting` | the following steps are blocked |
/// | an error of class `waiting(poll = requeue)` | the following steps are postponed |
/// | an error of class `stalled` or `transient` | as for any other step |
///
/// The condition that it sets shows the reason.
///
/// A precondition must be called before all other steps; any other order does not compile. `cx.owner::<K>(object)` reads the owner of the
/// object from the API server.
///
/// A precondition takes the arguments of a [step](macro@sub_reconciler), except those that change something: `external`, `owns`, `clears`,
/// `actions`.
///
/// Generates the same items as `sub_reconciler`.
#[proc_macro_attribute]
pub fn precondition(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::precondition::attribute(sub_reconciler::Order::Before, args.into(), &item.into()).into()
}

/// Turns a function into a postcondition: a read-only step after all others.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[postcondition(sets(on::Healthy))]
/// pub async fn healthy(database: &Database, cx: &mut Cx) -> Result<(), WindowError> { .. }
/// ```
///
/// A postcondition must be called after all other steps; any other order does not compile. It runs only if all steps succeeded. Its arguments
/// and results are those of a [precondition](macro@precondition).
///
/// Generates the same items as `sub_reconciler`.
#[proc_macro_attribute]
pub fn postcondition(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::precondition::attribute(sub_reconciler::Order::After, args.into(), &item.into()).into()
}

/// The former name of `precondition` and `postcondition`. It is an error that names the one to use.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn check(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::precondition::former_attribute(args.into(), &item.into()).into()
}

/// Turns a function into the cleanup of an `external` step.
///
/// The cleanup runs when the object is being deleted.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[cleanup(of = store)]
/// pub async fn remove_artifact(repo: &GitRepository, git: &Git, cx: &mut Cx<'_, store>) -> Result<(), RepoError> {
///     Ok(git.remove(repo).await?)
/// }
/// ```
///
/// The first parameter borrows the object and the last one is the context of the step. The parameters between them are dependencies, which
/// are matched by type with those of the reconciler. Cleanups run in the reverse order of the pipeline; the finalizer is removed after the
/// last one. `crate = ::path` sets the path of the runtime crate, if it is renamed.
///
/// Implements `HasCleanup` for the step, and generates a type with the name of the function.
#[proc_macro_attribute]
pub fn cleanup(args: TokenStream, item: TokenStream) -> TokenStream {
    cleanup::attribute(args.into(), &item.into()).into()
}

/// Turns a function into the claim of a reconciler.
///
/// The claim prepares an object before its finalizer is stored and before any step runs.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[claim]
/// pub async fn name_role(user: &mut PostgresUser, server: &Server) -> Result<(), UserError> {
///     if user.spec.role.is_none() {
///         user.spec.role = Some(server.free_name(&user.name_any()).await?);
///     }
///     Ok(())
/// }
///
/// #[reconciler(conditions = UserCondition, claim = name_role)]
/// pub async fn postgres_user(user: &PostgresUser, server: &Server, cx: &mut Pass<'_>) -> PassResult { .. }
/// ```
///
/// A claim may change labels, annotations, owner references and the spec. Its changes and the finalizer are stored in one write, and the pass
/// continues with the object that this write returns. Without changes there is no write.
///
/// The claim runs before the steps in every pass that is not short-circuited, suspended or blocked, so it must be idempotent. It does not run
/// for an object that is being deleted. If it fails, the pass ends: no finalizer is stored, no step runs, and Ready shows the error.
///
/// The parameters after the object are dependencies, which are matched by type with those of the reconciler. A claim does not write the
/// status: to store an id there before it is used, set the field and call `cx.commit()` in a step. For a method of a struct, omit `claim = ..`.
/// `crate = ::path` sets the path of the runtime crate, if it is renamed.
///
/// Generates a type with the name of the function, and implements `Claim` for it.
#[proc_macro_attribute]
pub fn claim(args: TokenStream, item: TokenStream) -> TokenStream {
    lifecycle::attribute(lifecycle::What::Claim, args.into(), &item.into()).into()
}

/// Turns a function into a hook of a reconciler.
///
#[doc = include_str!("lifecycle/hook.md")]
#[proc_macro_attribute]
pub fn hook(args: TokenStream, item: TokenStream) -> TokenStream {
    lifecycle::attribute(lifecycle::What::Hook, args.into(), &item.into()).into()
}

/// Turns a function into a daemon of a reconciler.
///
#[doc = include_str!("lifecycle/daemon.md")]
#[proc_macro_attribute]
pub fn daemon(args: TokenStream, item: TokenStream) -> TokenStream {
    lifecycle::attribute(lifecycle::What::Daemon, args.into(), &item.into()).into()
}

/// Turns a function into the observer of a reconciler.
///
#[doc = include_str!("sub_reconciler/observe.md")]
#[proc_macro_attribute]
pub fn observe(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::observe_attribute::attribute(args.into(), &item.into()).into()
}

/// Turns a function or a struct into a reconciler.
///
#[doc = include_str!("reconciler/reference.md")]
#[proc_macro_attribute]
pub fn reconciler(args: TokenStream, item: TokenStream) -> TokenStream {
    reconciler::attribute(args.into(), &item.into()).into()
}

/// Turns a function into a rule that the API server checks.
///
#[doc = include_str!("rule/reference.md")]
#[proc_macro_attribute]
pub fn rule(args: TokenStream, item: TokenStream) -> TokenStream {
    rule::attribute(args.into(), &item.into()).into()
}

/// Turns methods for events, or a function of an `Event`, into a reconciler.
///
#[doc = include_str!("watcher/reference.md")]
#[proc_macro_attribute]
pub fn watcher(args: TokenStream, item: TokenStream) -> TokenStream {
    watcher::attribute(args.into(), &item.into()).into()
}

/// Turns a function into a review that may refuse a write before the API server stores it.
///
#[doc = include_str!("admission/validate.md")]
#[proc_macro_attribute]
pub fn validate(args: TokenStream, item: TokenStream) -> TokenStream {
    admission::attribute(admission::What::Validate, args.into(), &item.into()).into()
}

/// Turns a function into a review that may change an object before the API server stores it.
///
#[doc = include_str!("admission/mutate.md")]
#[proc_macro_attribute]
pub fn mutate(args: TokenStream, item: TokenStream) -> TokenStream {
    admission::attribute(admission::What::Mutate, args.into(), &item.into()).into()
}

/// Turns a function into one that answers requests of users about an object.
///
#[doc = include_str!("route/reference.md")]
#[proc_macro_attribute]
pub fn route(args: TokenStream, item: TokenStream) -> TokenStream {
    route::attribute(args.into(), &item.into()).into()
}

/// Turns two functions into the conversion between a served version of a kind and the stored one.
///
#[doc = include_str!("convert/reference.md")]
#[proc_macro_attribute]
pub fn convert(args: TokenStream, item: TokenStream) -> TokenStream {
    convert::attribute(args.into(), &item.into()).into()
}

/// The expansion of `field!`, which passes the path of the runtime crate.
#[doc(hidden)]
#[proc_macro]
pub fn field_path(input: TokenStream) -> TokenStream {
    admission::field::expand(input.into()).into()
}

/// Embeds the templates of a folder, for a step with dependents.
///
#[doc = include_str!("templates/reference.md")]
#[proc_macro]
pub fn templates(input: TokenStream) -> TokenStream {
    templates::expand(input.into()).into()
}
