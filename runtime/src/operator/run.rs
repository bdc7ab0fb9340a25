//! Runs an operator: checks the settings, starts the reconcilers, and stops them.

use std::future::Future;
use std::sync::Arc;

use futures::future::{BoxFuture, join, join_all, try_join_all};
use futures::{FutureExt, Stream};
use kube::runtime::reflector::ObjectRef;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::builder::Operator;
use super::context::{context, something_to_do};
use super::controller::Prepared;
use super::error::Result;
use super::kube_controller::{ControllerContext, hand_out};
use super::reconciled_kind::ReconciledKind;
use super::role::Role;
use super::signal::Signals;
#[cfg(feature = "webhooks")]
use super::webhook_start;
use super::{policy_check, shutdown, startup};
use crate::pipeline::reconciler::Reconciler;

impl Operator {
    /// Runs until SIGTERM or Ctrl-C.
    ///
    /// A second signal ends the process at once, with the exit code 143 or 130.
    ///
    /// # Errors
    /// See [`run_until`](Self::run_until).
    pub async fn run(self) -> Result {
        let signals = Signals::listen(None)?;
        self.run_until(signals.stop()).await
    }

    /// Runs the command of the command line: `run` (the default), `crds`, `policies`, `wiring`, `docs`, `contract`, `app`, `rbac`,
    /// `webhooks`, `manifests`, `render`, `doctor`, `explain`, `status` or `migrate`.
    ///
    /// Exits the program after `--help`, `--version` and wrong usage. Writes the log to standard error, unless a subscriber of `tracing` is
    /// set. Each flag can also be set by an environment variable: `--concurrency` by `EVENKEEL_CONCURRENCY`. The flag wins.
    ///
    /// SIGTERM or Ctrl-C stops the operator. Passes that still run at the end of the [shutdown timeout](Self::shutdown_timeout) are dropped,
    /// and the process exits with the code 3 without waiting for blocking work. Two seconds after the shutdown timeout the process exits in
    /// any case, even if a step blocks all threads of the runtime. A second signal exits the process at once. The
    /// [guide](crate::guide::shutdown) lists the exit codes.
    ///
    /// # Errors
    /// The errors of [`run_until`](Self::run_until). A command that prints fails if standard output cannot be written,
    /// and `render` if a file cannot be used or a set cannot be rendered.
    #[cfg(feature = "cli")]
    pub async fn run_cli(self) -> Result {
        super::cli::run_cli(self).await
    }

    /// Runs until the future completes, and then shuts down.
    ///
    /// After that no further pass starts, and running passes may finish within the [shutdown
    /// timeout](Self::shutdown_timeout). Passes that exceed the timeout are dropped.
    ///
    /// Work in [`Cx::blocking`](crate::Cx::blocking) cannot be dropped: its thread continues. A tokio runtime waits for
    /// such threads when the runtime itself is dropped, at the latest at the end of `main`. A program that must exit in
    /// time can call [`std::process::exit`], as [`run_cli`](Self::run_cli) does, or `Runtime::shutdown_background`.
    ///
    /// # Errors
    /// Passes were dropped after the shutdown timeout: [`Error::dropped`](super::Error::dropped) lists their objects.
    ///
    /// The operator cannot start:
    ///
    /// - The setup contradicts itself.
    /// - The cluster is unreachable.
    /// - No CRD is installed, or a CRD is outdated.
    /// - The RBAC rules do not allow list and watch.
    ///
    /// Later failures are retried and never end the operator. If only some of the reconciled kinds are installed, the
    /// reconcilers of the other kinds start when their CRDs are installed.
    ///
    /// # Cancellation
    /// Dropping the future drops the running passes at once.
    pub async fn run_until(self, stop: impl Future<Output = ()> + Send) -> Result {
        run_until(self, stop.boxed()).await
    }

    /// Prints what the operator would do now for each object, and changes nothing. The command-line flag is `--dry-run`.
    ///
    /// One pass runs for each object, and the operator ends after the last one:
    ///
    /// - Writes are sent with `dryRun=All`, so that the API server validates them, and printed with the difference that they make. The values
    ///   of Secrets are hidden.
    /// - Steps that are `external`, their cleanups, hooks, claims with dependencies, daemons, `cx.blocking` and `cx.operation` do not run. They
    ///   are printed as "would run". The steps after them run if they do not need their result. The status of the object is then unknown.
    /// - No event is sent, and no function of [`on_pass_end`](Self::on_pass_end) is called.
    ///
    /// A step that is not `external` runs. If it changes something outside of the cluster with a client of its own, declare it `external`. A
    /// step that waits for an effect of an earlier write, such as a ready Pod, still waits.
    ///
    /// The role of the operator needs `get` for the kinds that it writes; without it, whole objects are printed instead of differences.
    ///
    /// # Errors
    /// The operator cannot start, as in [`run_until`](Self::run_until), or the output cannot be written. A failed pass is no error.
    #[cfg(feature = "dry-run")]
    pub async fn dry_run(self, out: impl std::io::Write + Send) -> Result {
        super::dry_run::dry_run(self, out).await
    }

    /// Prints to a writer what the command `render` prints with these arguments, for tests.
    ///
    /// # Errors
    /// A file cannot be used, or a set cannot be rendered.
    #[doc(hidden)]
    #[cfg(all(feature = "cli", feature = "dependents"))]
    pub async fn render<A: Into<std::ffi::OsString> + Clone>(
        self,
        args: impl IntoIterator<Item = A>,
        out: impl std::io::Write + Send,
    ) -> Result {
        super::render::render_line(self, args, out).await
    }

    /// The operator with the flags of a command line, whose first word is the program, for tests.
    ///
    /// # Errors
    /// A flag or the configuration file is invalid.
    #[doc(hidden)]
    #[cfg(feature = "config")]
    pub async fn configured_by<A: Into<std::ffi::OsString>>(self, line: impl IntoIterator<Item = A>) -> Result<Self> {
        let line: Vec<_> = line.into_iter().map(Into::into).collect();
        super::cli::configured_by(self, &line).await
    }

    /// Prints to a writer what a command about the cluster prints, and returns its exit code, for tests: `["doctor", "-o", "json"]`.
    ///
    /// # Errors
    /// The cluster is not configured, an object cannot be read, or the writer fails.
    #[doc(hidden)]
    #[cfg(feature = "doctor")]
    pub async fn cluster_command<A: Into<std::ffi::OsString> + Clone>(
        self,
        line: impl IntoIterator<Item = A>,
        out: impl std::io::Write + Send,
    ) -> Result<u8> {
        super::cluster_command::run_line(self, line, out).await
    }

    /// Hands out one reconciler to run under kube's `Controller`, so that an existing operator can migrate kind by
    /// kind.
    ///
    /// Returns two values:
    ///
    /// - the context for [`kube_controller::reconcile`](super::kube_controller::reconcile) and [`kube_controller::error_policy`](super::kube_controller::error_policy)
    /// - a stream of objects to reconcile, for `reconcile_on`: an owned or watched object changed, a
    ///   [trigger](Operator::trigger) named the object, or the cache of evenkeel received the object later than that of
    ///   the controller
    ///
    /// The name, client, namespaces, jitter, access, observers and triggers of the operator apply; its limits do not.
    /// The kind is watched twice, by the controller and by evenkeel. The [guide](crate::guide::kube_controller) lists
    /// the differences.
    ///
    /// ```ignore
    /// let operator = Operator::new("source-controller").client(client.clone());
    /// let (context, triggers) = operator.for_kube_controller::<git_repository>(git).await?;
    /// Controller::new(Api::<GitRepository>::all(client), watcher::Config::default())
    ///     .with_config(controller::Config::default().concurrency(16))
    ///     .reconcile_on(triggers)
    ///     .run(kube_controller::reconcile, kube_controller::error_policy, context)
    /// ```
    ///
    /// # Errors
    /// Fails for the reasons for which [`run_until`](Operator::run_until) fails at the start, including a CRD that is
    /// not installed. Also fails if the operator has reconcilers of its own.
    pub async fn for_kube_controller<R: Reconciler<Object: ReconciledKind>>(
        self,
        deps: R::Deps,
    ) -> Result<(Arc<ControllerContext<R>>, impl Stream<Item = ObjectRef<R::Object>> + Send + 'static + use<R>)> {
        hand_out(self, deps).await
    }
}

/// The operator as a boxed future, so that it is compiled here, and not once more in each program.
#[cfg_attr(not(feature = "config"), allow(unused_mut, reason = "its file is followed"))]
fn run_until(mut operator: Operator, stop: BoxFuture<'_, ()>) -> BoxFuture<'_, Result> {
    let span = tracing::info_span!("operator", operator = %operator.name);
    async move {
        #[cfg(feature = "config")]
        let _file = span.in_scope(|| super::config_load::follow(&mut operator));
        serve(operator, stop).instrument(span).await
    }
    .boxed()
}

async fn serve(mut operator: Operator, stop: BoxFuture<'_, ()>) -> Result {
    warn(&operator);
    #[cfg(feature = "webhooks")]
    let webhooks = webhook_start::prepare(&mut operator);
    let mut role = Role::of(&mut operator).await?;
    let context = context(&mut operator, None, role.part.clone()).await?;
    let policies = policy_check::names(&operator);
    let stopping = context.stop.clone();
    #[cfg(feature = "webhooks")]
    let webhooks = match webhooks {
        Some(prepared) => Some(webhook_start::start(prepared, &operator, &context).await?),
        None => None,
    };
    let run = async {
        let members: Vec<_> = operator.members.into_iter().map(|member| member.prepare(context.clone())).collect();
        // All reconcilers have joined, so each watch is started only once.
        let mut watches = context.watches.start();
        let _definitions = context.definitions.start(&context.client);
        // A stop before the first pass has nothing to wait for.
        let lists = join(try_join_all(members), policy_check::warn_unless_served(&context.client, &policies));
        let Some((prepared, ())) = context.stop.run_until_cancelled(lists).await else { return Ok(()) };
        let prepared: Vec<_> = prepared?;
        something_to_do(&prepared)?;
        context.telemetry.started();
        tracing::info!("started");
        role.start(&context.stop);
        let mut passes = std::pin::pin!(passes(prepared, &context.stop));
        tokio::select! {
            dropped = &mut passes => {
                let dropped = dropped.concat();
                // The blocking work of a dropped pass may still run, so the lease must expire before another replica takes over.
                if dropped.is_empty() {
                    role.release().await;
                }
                shutdown::stopped(dropped, context.config.shutdown_timeout)
            }
            (watch, why) = watches.ended() => {
                context.stop.cancel();
                Err(startup::ended(&watch, &why).with_dropped(passes.await.concat()))
            }
            error = role.ended() => {
                context.stop.cancel();
                Err(error.with_dropped(passes.await.concat()))
            }
        }
    };
    let mut run = std::pin::pin!(run);
    tokio::select! {
        ended = &mut run => ended,
        () = stop => {
            tracing::info!("stopping");
            stopping.cancel();
            #[cfg(feature = "webhooks")]
            if let Some(webhooks) = webhooks {
                return tokio::join!(run, webhooks.ended()).0;
            }
            run.await
        }
    }
}

/// Logs what is unusual about the operator itself.
fn warn(operator: &Operator) {
    operator.gates.warn();
    #[cfg(feature = "manifests")]
    super::manifest_parts::warn_if_other(operator);
}

/// Runs the passes of all reconcilers until the stop. An operator without reconcilers serves its functions until then.
async fn passes(prepared: Vec<Box<dyn Prepared>>, stop: &CancellationToken) -> Vec<Vec<String>> {
    if prepared.is_empty() {
        stop.cancelled().await;
    }
    join_all(prepared.into_iter().map(Prepared::run)).await
}

/// Hooks for evenkeel's own tests.
#[cfg(feature = "__test-hooks")]
impl Operator {
    /// Disables a trigger in the event filter and the short-circuit.
    pub fn without_trigger(mut self, word: &str) -> Self {
        self.enabled_triggers.take_out(word);
        self
    }

    /// Runs the body in every pass, and a pass for every event of the reconciled kind.
    pub fn without_short_circuit(mut self) -> Self {
        self.enabled_triggers.always_run();
        self
    }

    /// Reduces a pass to looking up the object, as a bare closure would, to measure the overhead of the rest of a pass.
    pub fn without_pass(mut self) -> Self {
        self.enabled_triggers.only_look_up();
        self
    }
}
