//! The attribute macros of evenkeel. Use them through the `evenkeel` crate, which re-exports them.
//!
//! Each folder is one macro, of the same inner shape: `args` (as written), `check` (the refusals), `model` (validated), `expand`
//! (prints the model), `fallback` (what stands where something failed). The examples below stand, compiled, in `tests/hygiene`.

#![forbid(unsafe_code)]

mod cleanup;
mod condition_set;
mod errors;
#[cfg(test)]
mod expansion_size;
#[cfg(test)]
mod expansion_tests;
mod lifecycle;
mod reconcile_error;
mod reconciler;
mod status;
mod sub_reconciler;
mod syntax;

use proc_macro::TokenStream;

/// Declares the conditions of a reconciler: one variant each, the most important first.
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
/// | `condition_set(mod = on)` | the module of the markers: `on::SourceFetched`; the enum's name in snake case unless given |
/// | `condition_set(summary(Available(SourceFetched, ArtifactStored)))` | one more condition, which sums up these as Ready sums up all; nobody sets it |
/// | `condition_set(crate = ::path)` | where the runtime is, if it is renamed |
/// | `condition(positive)` | True is good; True when its step succeeds, unless the step said otherwise |
/// | `condition(negative)` | True is bad; absent while there is nothing to say |
/// | `condition(bipolar)` | True is good, False is bad, absent says nothing; only the step itself, or its error, sets it |
/// | `condition(.., reasons(NewRevision = "A newer one exists", Corrupt))` | the closed set of its reasons; another literal does not compile |
///
/// A set has at least one positive condition: without one nothing would tell success.
/// Doc comments become the text of the definition and of the reference page. The names are CamelCase, as Kubernetes wants them;
/// `Ready`, `Reconciling` and `Stalled` are the framework's. A set holds at most 64 conditions.
///
/// Generates a unit struct for each variant in the module, and `ConditionSet` for the enum.
#[proc_macro_derive(ConditionSet, attributes(condition_set, condition))]
pub fn condition_set(item: TokenStream) -> TokenStream {
    condition_set::derive(item.into()).into()
}

/// Gives each variant of an error a class: what the framework does about it.
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
/// | `stalled` | retrying is useless until a person changes something |
/// | `waiting` | a precondition is not met: triggered by each change of the watched object that the variant holds as `Absent<K>`, `Unfit<K>` or `NotReady<K>` |
/// | `waiting(poll = "1m")` | a precondition is not met that no watch shows: polled after the time |
/// | `waiting(poll = self.after)` | the same, after what the field says: an `Interval`, a `Duration` or an `Option` of one (30 s where it is `None`) |
/// | `waiting(poll = requeue)` | postponed: looks again at the next resync of the reconciler (after an hour where it has none) |
/// | `transient` | worth another try, with back-off |
/// | `transient, retry = "fast"` | the same, at most 30 s apart: what it lacks is about to come |
/// | `transient, retry = "very-slow"` | the same, each time that the requeue interval has passed (an hour where there is none) |
/// | `ignored` | nothing to do: the pass counts as done |
///
/// What is told of an error beside the conditions depends on its class; a variant may say otherwise, after its class:
///
/// | argument | stalled | waiting | transient | ignored | meaning |
/// | --- | --- | --- | --- | --- | --- |
/// | `severity = ".."` | `"error"` | `"info"` | `"warning"` | | all of what follows, as of the class with this severity |
/// | `event = ".."` | `"warning"` | `"normal"` | `"warning"` | `"none"` | the Kubernetes event of the transition into it |
/// | `log = ".."` | `"error"` | `"info"` | `"warn"` | `"debug"` | the level of the one line in the log; `"none"`: no line |
/// | `notify = ..` | `true` | `false` | `true` | `false` | whether observers of the operator should notify people |
///
/// The reason of the condition is the name of the variant, or `class(.., reason = "Word")`; the message is `Display`. On the enum,
/// `#[reconcile_error(crate = ::path)]` says where the runtime is, if it is renamed. Durations are from one second to thirty days:
/// literals are checked, fields are clamped.
///
/// Generates `ReconcileError` for the enum.
#[proc_macro_derive(ReconcileError, attributes(reconcile_error, class))]
pub fn reconcile_error(item: TokenStream) -> TokenStream {
    reconcile_error::derive(item.into()).into()
}

/// Adds the fields that the framework keeps to a status: `observedGeneration`, `conditions` (a map keyed by type), `observedInputs`,
/// `lastHandledReconcileAt`, `lastHandledActions`.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[status]
/// pub struct GitRepositoryStatus {
///     pub artifact: Option<Artifact>,
/// }
/// ```
///
/// The schema has the default `{observedGeneration: -1}` on the status itself, so that a fresh object does not look current. Every
/// field is therefore an `Option`, a list, a map, or has a `#[serde(default)]`; options and lists are left out where they are empty.
///
/// `Clone`, `Debug`, `Default`, `PartialEq`, `Serialize`, `Deserialize` and `JsonSchema` are derived unless a `#[derive(..)]` below
/// the attribute has them; names on the wire are camelCase unless `#[serde(rename_all = "..")]` says otherwise.
/// `#[status(crate = ::path)]` says where the runtime is, if it is renamed.
///
/// `#[status(step = store)]` on a field lets only the step `store` write it; a path such as `git::store` is a step as well:
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
/// All steps read the field with `cx.status().artifact`, which derefs to the value; neither an assignment to that nor `cx.write` in
/// another step compiles. `cx.status()` then gives a struct with the author's fields only. The type of the field in the status, its
/// form on the wire and its schema stay as they are.
///
/// Generates the struct with all fields, and `StatusContract` for it.
#[proc_macro_attribute]
pub fn status(args: TokenStream, item: TokenStream) -> TokenStream {
    status::attribute(args.into(), &item.into()).into()
}

/// Makes a function a step, and declares what it does: what is not declared does not compile.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[sub_reconciler(sets(on::SourceFetched), watches(Secret, by_name))]
/// pub async fn fetch(repo: &GitRepository, git: &Git, cx: &mut Cx) -> Result<Commit, RepoError> {
///     let token = cx.require::<Secret>("token").await?;
///     Ok(git.fetch(&repo.spec.url, &token).await?)
/// }
/// ```
///
/// The first parameter borrows the object, the last is the context; between them stands what the step needs. It is called as any
/// other function. It may be generic, for reconcilers of several kinds that share a condition set: `ensure<O: HasConfig>(object: &O,
/// cx: &mut Cx)` is called as `ensure(widget, cx)`, and that `O` has a status is understood; others as `copy::<Widget, Secret>(widget, cx)`.
///
/// | argument | meaning |
/// | --- | --- |
/// | `sets(on::A, ..)` | the conditions it owns; the first is marked by its error, all by its success |
/// | `clears(on::B, ..)` | negative conditions of earlier steps that its success removes |
/// | `reads(K, on::C, ..)` | kinds and conditions that it looks at, and that wake nobody |
/// | `watches(K, by_name)` | a kind of which the named objects wake this one |
/// | `watches(K, labels = "a=b")` | a kind of which all matching objects are kept in memory, for `cx.get` and `cx.list` |
/// | `watches(K, labels = "a=b", index = ByUser)` | the same, found by what an `Index` says of them with `cx.indexed(ByUser, "alice")`, which alone wakes |
/// | `polls(K)` | a kind that is read from the API server each time |
/// | `owns(K, ..)` | kinds that it writes; a change of one triggers a reconcile of its owner, `cx.owned` names those there are |
/// | `owns(K, .., adopt = if_unowned)` | objects without an owner are taken over, with `always` those of other owners, too; without it the object waits, `DependentForeign` |
/// | `watches(K, .., cache = none)` | what is kept of the objects: `none` a version, `metadata`, or `full`; of owned kinds a record unless given |
/// | `timeout = "30s"` | how long it, or its cleanup, may take within the time of the pass; then it is dropped and its condition says `TimedOut` |
/// | `external` | it makes something outside of the cluster, which its [`cleanup`](macro@cleanup) removes |
/// | `actions(force, ..)` | one-shot actions: `cx.requested("force")` tells whether `evenkeel.dev/forceAt` asks for it in this pass |
/// | `marker = Name` | the name of the step as a type, where function and file share one |
/// | `crate = ::path` | where the runtime is, if it is renamed |
///
/// Generates a type with the name of the function, `SubReconciler` for it, and its rights.
#[proc_macro_attribute]
pub fn sub_reconciler(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::attribute(args.into(), &item.into()).into()
}

/// Makes a function a check: a step that only looks, before the others or after them.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[check(before, sets(on::Allowed), reads(Team))]
/// pub async fn allowed(database: &Database, cx: &mut Cx) -> Result<(), WindowError> { .. }
///
/// #[reconciler(conditions = DatabaseCondition, requeue = "1h")]
/// pub async fn databases(database: &Database, server: &Server, cx: &mut Pass<'_>) -> PassResult {
///     allowed(database, cx).await?;
///     ..
/// }
/// ```
///
/// Its result is the verdict: `Ok` proceeds, an error of class `waiting` blocks what follows, one of `waiting(poll = requeue)` postpones it,
/// and `stalled` and `transient` mean what they mean everywhere; its condition shows the reason. A check `before` stands before all
/// other steps, one `after` behind them, where it runs only if they succeeded; else it does not compile. `cx.owner::<K>(object)` reads
/// the owner of the object from the API server.
///
/// It takes the arguments of a [step](macro@sub_reconciler), without those that change something: `external`, `owns`, `clears`, `actions`.
///
/// Generates what `sub_reconciler` does.
#[proc_macro_attribute]
pub fn check(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::check_attribute::attribute(args.into(), &item.into()).into()
}

/// Undoes an `external` step when its object goes.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[cleanup(of = store)]
/// pub async fn remove_artifact(repo: &GitRepository, git: &Git, cx: &mut Cx<'_, store>) -> Result<(), RepoError> {
///     Ok(git.remove(repo).await?)
/// }
/// ```
///
/// The first parameter borrows the object, the last is the context of the step; the dependencies between them are found by their
/// types among those of the reconciler. Cleanups run in the reverse order of the pipeline; the finalizer goes after the last.
/// `crate = ::path` says where the runtime is, if it is renamed.
///
/// Generates `HasCleanup` for the step, and a type with the name of the function.
#[proc_macro_attribute]
pub fn cleanup(args: TokenStream, item: TokenStream) -> TokenStream {
    cleanup::attribute(args.into(), &item.into()).into()
}

/// Makes a function the claim of a reconciler: it prepares an object before its finalizer is stored and before any step runs.
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
/// It may change labels, annotations, owner references and the spec. What it changed and the finalizer are stored in one write, and the pass
/// goes on with what that returned; where nothing changed, nothing is written. It runs in each pass that does something, so it must be
/// idempotent, and never for an object that goes. Its error ends the pass: no finalizer is stored, no step runs, and Ready says why. What it
/// depends on is found by type among the dependencies of the reconciler. In a struct the method needs no `claim = ..`. A claim writes no
/// status: a step stores an id there with `cx.record(..)` before it uses it. `crate = ::path` says where the runtime is, if it is renamed.
///
/// Generates `Claim` for a type with the name of the function.
#[proc_macro_attribute]
pub fn claim(args: TokenStream, item: TokenStream) -> TokenStream {
    lifecycle::attribute(lifecycle::What::Claim, args.into(), &item.into()).into()
}

/// Makes a function a hook of a reconciler: it runs at a point of the life of an object, beside the steps.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[hook(before_delete)]
/// pub async fn say_goodbye(user: &PostgresUser, mail: &Mail) -> Result<(), MailFailed> {
///     mail.tell(&user.spec.owner, "your database user is about to go").await
/// }
///
/// #[reconciler(conditions = UserCondition, hooks(say_goodbye))]
/// pub async fn postgres_user(user: &PostgresUser, server: &Server, mail: &Mail, cx: &mut Pass<'_>) -> PassResult { .. }
/// ```
///
/// | argument | when it runs |
/// | --- | --- |
/// | `read` | first, in every pass that does something, also for an object that goes or that only an observer looks at |
/// | `before` | before the steps |
/// | `after` | after the steps, where all of them succeeded |
/// | `before_delete` | before the cleanups of an object that goes |
/// | `after_delete` | after them, where all of them succeeded, and before the finalizer goes |
/// | `crate = ::path` | where the runtime is, if it is renamed |
///
/// It takes the object and dependencies, which are found by type among those of the reconciler, and changes neither object nor cluster: what
/// does is a [claim](macro@claim) or a [step](macro@sub_reconciler). It must be idempotent, as a pass may run again. Its error ends the
/// pass as that of a step does, by its class. Those of one point run in the order of the list; in a struct, which needs no list, as they stand.
///
/// Generates `Hooked` for a type with the name of the function.
#[proc_macro_attribute]
pub fn hook(args: TokenStream, item: TokenStream) -> TokenStream {
    lifecycle::attribute(lifecycle::What::Hook, args.into(), &item.into()).into()
}

/// Makes a function the observer of a reconciler: a step that runs alone where the policy of an object is `skip`.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[observe(sets(on::RoleExists))]
/// pub async fn look(user: &PostgresUser, server: &Server, cx: &mut Cx) -> Result<(), UserError> {
///     cx.status().role = Some(server.find(&user.spec.role).await?.ok_or(UserError::NoRole)?.name);
///     Ok(())
/// }
///
/// #[reconciler(conditions = UserCondition, policies, observe = look)]
/// pub async fn postgres_user(user: &PostgresUser, server: &Server, cx: &mut Pass<'_>) -> PassResult { .. }
/// ```
///
/// It takes the arguments of a [step](macro@sub_reconciler), without those that change something: `external`, `owns`, `clears`, `actions`.
/// The conditions that it sets are all that is known then, and Ready sums up those; the others are removed until the steps run again. What it
/// depends on is found by type among the dependencies of the reconciler. In a struct the method needs no `observe = ..`.
///
/// Generates what `sub_reconciler` does, and `Observe` for it.
#[proc_macro_attribute]
pub fn observe(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::observe_attribute::attribute(args.into(), &item.into()).into()
}

/// Makes a function a reconciler, of which its body is the pipeline; or a struct, of which the method `reconcile` is.
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[reconciler(conditions = RepoCondition, requeue = "10m")]
/// pub async fn git_repository(repo: &GitRepository, git: &Git, cx: &mut Pass<'_>) -> PassResult {
///     let commit = fetch(repo, git, cx).await?;
///     store(repo, git, &commit, cx).await?;
///     Ok(())
/// }
/// ```
///
/// The first parameter borrows the object, the last is the context of the pass; between them stand the dependencies, borrowed and
/// told apart by their types. The last line is `Ok(())`; the lines before it are
///
/// | line | meaning |
/// | --- | --- |
/// | `let x = step(repo, .., cx).await?;` | the step runs; `let` where it hands something on |
/// | `if a { .. } else if let Some(x) = b { .. } else { .. }` | one of the branches runs, each of such lines; `let x = if ..` binds what it ends with |
/// | `let (x, y) = join(a(repo, .., cx), b(repo, .., cx)).await?;` | two to eight steps run concurrently; an error of one does not stop the others |
/// | `for item in items { step(repo, item, cx).await?; }` | the step runs for every item; the errors become one, and success is that of all |
/// | `skip(step, "Reason");` | in a branch: the step is not needed; its positive conditions are True with the reason, its others removed |
///
/// What one branch runs, every other one runs or skips. Conditions, items and what steps are given are ordinary expressions without `cx`,
/// `.await` and `?`. Joined steps are independent: none clears what another of them sets.
///
/// On the `impl` of a struct, the pipeline is its method `reconcile`, and what the steps depend on are its fields:
///
/// ```ignore (needs the runtime, on which this crate cannot depend)
/// #[reconciler(conditions = RepoCondition, requeue = "10m")]
/// impl GitRepositories {
///     pub async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
///         let commit = self.fetch(repo, cx).await?;
///         self.store(repo, &commit, cx).await?;
///         Ok(())
///     }
///
///     #[sub_reconciler(sets(on::SourceFetched))]
///     async fn fetch(&self, repo: &GitRepository, cx: &mut Cx) -> Result<Commit, RepoError> { .. }
///
///     #[sub_reconciler(sets(on::ArtifactStored), external)]
///     async fn store(&self, repo: &GitRepository, commit: &Commit, cx: &mut Cx) -> Result<(), RepoError> { .. }
///
///     #[cleanup(of = store)]
///     async fn remove(&self, repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> { .. }
/// }
/// ```
///
/// It runs with `.reconciler::<GitRepositories>(GitRepositories { .. })`. Free steps may be called as well; what the cleanup of one
/// asks for is handed out by an `impl Provides<Git> for GitRepositories`. A helper names a step by `git_repositories::fetch`, the
/// module of the types of steps; on the wire the reconciler is called `git_repositories`, too. All other items stay as they are.
///
/// | argument | meaning |
/// | --- | --- |
/// | `conditions = C` | the condition set; each condition is set by exactly one step |
/// | `requeue = "10m"` | when to run again after success, give or take a jitter; a change is awaited unless given |
/// | `retry = "30s"` | when to try again after a failure; along the back-off curve unless given |
/// | `timeout = "5m"` | how long a pass may take; five minutes unless given |
/// | `concurrency = 4` | how many objects are worked on at a time; as the operator says for all unless given, which is 16 unless said there |
/// | `revision = 2` | bumped when the effect of the code changed, so that unchanged objects run again |
/// | `finalizer = "example.com/name"` | the finalizer; `<group>/<operator>` unless given |
/// | `field_manager = "name"` | the field manager; `<operator>/<reconciler>` unless given |
/// | `previously(field_managers("x"), finalizers("example.com/y"))` | what earlier versions left behind, to be taken over |
/// | `depends_on = spec.depends_on` | the objects of the kind that have to be ready first: a field, or a function of the object, with a `Vec<Reference>` |
/// | `suspend = spec.suspend` | the field, a `bool` or an `Option<bool>`, that suspends an object: nothing is done for it |
/// | `suspend(field = spec.suspend, annotation, record)` | so does the annotation `evenkeel.dev/suspend: "true"`; the generation counts as observed |
/// | `claim = name_role` | the [claim](macro@claim) that prepares an object before its finalizer is stored |
/// | `hooks(announce, say_goodbye)` | the [hooks](macro@hook) that run beside the steps |
/// | `policies` | owners of objects say what may be done, in the annotation `evenkeel.dev/policy`: `manage`, `skip` or `detach-on-delete` |
/// | `policies(key = "example.com/policy", unobserved)` | in another annotation; nobody looks at an object under `skip` |
/// | `observe = look` | the [observer](macro@observe) that runs under `skip` |
/// | `on_end = report` | a hook on the outcome, `fn report(repo: &GitRepository, end: &mut PassEnd<'_, GitRepositoryStatus>)`, called before the status write |
/// | `request_annotation = "example.com/requestedAt"` | the annotation that asks for a pass; `evenkeel.dev/requestedAt` unless given |
/// | `triggers(spec, labels, annotations("example.com/tier"))` | the labels and annotations that trigger a reconcile: `labels` alone means all, `triggers(spec)` none; all of both unless given |
/// | `summary = "BackupReady"` | of a second reconciler of a kind: it sums up in this condition, and leaves Ready, Reconciling and Stalled alone |
/// | `mod = name` | of a struct: the module of its steps as types; the struct's name in snake case unless given |
/// | `crate = ::path` | where the runtime is, if it is renamed |
///
/// Each of `requeue`, `retry` and `timeout` is a literal, a field of the object (`spec.interval`, `spec.policy.interval`) or a function
/// of it (`requeue = next_run`, `fn next_run(repo: &GitRepository) -> Option<Duration>`); fields and functions give an `Interval`, a
/// `Duration` or an `Option` of one, and `None` is as if nothing were given.
///
/// Generates a type with the name of the function, and `Reconciler` for it; or `Reconciler` for the struct.
#[proc_macro_attribute]
pub fn reconciler(args: TokenStream, item: TokenStream) -> TokenStream {
    reconciler::attribute(args.into(), &item.into()).into()
}
