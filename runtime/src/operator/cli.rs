//! The command line of an operator.

use std::ffi::OsString;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::builder::{BoolishValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser};
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use super::builder::Operator;
#[cfg(feature = "doctor")]
use super::cluster_command;
use super::command::{Command, text};
#[cfg(feature = "config")]
use super::config_load;
use super::contract_check::{self, ContractArgs};
use super::env;
use super::error::{Error, Reason, Result};
#[cfg(feature = "metrics")]
use super::listen_args::ListenFlags;
use super::log::{self, LogFormat};
use super::print::print;
use super::renamed_flags::renamed;
#[cfg(feature = "dependents")]
use super::render::render;
#[cfg(feature = "lease")]
use super::replica_args::ReplicaFlags;
use super::shutdown::{self, EXIT_CODES};
use super::signal::Signals;
#[cfg(feature = "webhooks")]
use super::webhook_args::{WebhookFlags, aimed_at, misses_target, print_webhooks};
#[cfg(feature = "manifests")]
use super::{manifest_args, manifest_command};
use crate::client::chain;
use crate::dependency::Access;
use crate::interval::Interval;
use crate::wiring::policy::Policy;

/// Runs the operator, or prints its CRDs, RBAC rules and documentation
#[derive(Debug, Parser)]
#[command(after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    flags: Flags,
}

#[derive(Debug, Args)]
struct Flags {
    /// Watches only this namespace; may be repeated, or a list with commas [default: all namespaces]
    #[arg(short, long = "namespace", global = true, value_name = "NAMESPACE", value_delimiter = ',')]
    namespaces: Vec<String>,
    /// Watches each kind once in the cluster, for which the role must allow it [default: once in each namespace of the operator]
    #[arg(long, global = true, value_parser = BoolishValueParser::new())]
    cluster_wide_watches: bool,
    /// Reconciles only objects with these labels, in addition to the selector of each reconciler, for example `team=a,tier in (web, db)`
    /// [default: all objects]
    #[arg(short = 'l', long, global = true, value_name = "SELECTOR")]
    label_selector: Option<String>,
    /// How many objects of one reconciler are reconciled at a time, unless the reconciler sets it [default: 16]
    #[arg(long, global = true, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
    /// How many objects of all reconcilers together are reconciled at a time [default: unlimited]
    #[arg(long, global = true, value_name = "N")]
    total_concurrency: Option<NonZeroUsize>,
    /// How many failed objects of all reconcilers together are retried per second [default: 100]
    #[arg(long, global = true, value_name = "N")]
    retries_per_second: Option<NonZeroU32>,
    /// How long running passes may take after SIGTERM or Ctrl-C before they are dropped, for example 25s or 2m. Keep it below the
    /// `terminationGracePeriodSeconds` of the pod [default: 25s]
    #[arg(long, global = true, value_name = "DURATION")]
    shutdown_timeout: Option<Interval>,
    #[cfg(feature = "metrics")]
    #[command(flatten)]
    listener: ListenFlags,
    #[cfg(feature = "webhooks")]
    #[command(flatten)]
    webhooks: WebhookFlags,
    #[cfg(feature = "lease")]
    #[command(flatten)]
    replicas: ReplicaFlags,
    /// Stalls objects that refer to an object in another namespace [default: such references are allowed]
    #[arg(long, global = true, value_parser = BoolishValueParser::new())]
    no_cross_namespace_refs: bool,
    /// Default policy for objects without a policy annotation [default: manage]
    #[arg(long, global = true, value_name = "POLICY", value_parser = policies())]
    default_policy: Option<Policy>,
    /// The service account, in the namespace of the component, as which sets of dependents without a site act [default: the operator itself]
    #[cfg(feature = "dependents")]
    #[arg(long, global = true, value_name = "NAME")]
    default_service_account: Option<String>,
    /// The namespace of this operator, if several operators share a cluster. Objects annotated for another operator are ignored; objects
    /// without the annotation are annotated for this one [default: $OPERATOR_NAMESPACE; if unset, all objects are reconciled]
    #[arg(long, global = true, value_name = "NAMESPACE", env = "OPERATOR_NAMESPACE", hide_env = true)]
    operator_namespace: Option<String>,
    /// Requests the initial lists in pages [default: as streaming lists, if the API server supports them]
    #[arg(long, global = true, value_parser = BoolishValueParser::new())]
    paged_lists: bool,
    /// A file with values for flags, and with the settings of the program, which are read again when they change. Flags and environment
    /// variables win [default: none]
    #[cfg(feature = "config")]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The kubeconfig to use [default: $KUBECONFIG, ~/.kube/config, or the pod's service account]
    #[arg(long, global = true, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig to use [default: the current context]
    #[arg(long, global = true, value_name = "NAME")]
    context: Option<String>,
    /// Exports spans to an OTLP collector: the base URL of its HTTP receiver, for example http://localhost:4318 [default: off]
    #[cfg(feature = "otlp")]
    #[arg(long, global = true, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    otlp: Option<String>,
    /// Runs one pass of each object, prints what the operator would do, and changes nothing
    #[cfg(feature = "dry-run")]
    #[arg(long, global = true, value_parser = BoolishValueParser::new())]
    dry_run: bool,
    /// Turns features on or off: `Name=true`, several separated by commas
    #[arg(long, global = true, value_name = "NAME=BOOL,..")]
    feature_gates: Option<String>,
    /// The log level, or a filter such as `info,evenkeel=debug`
    #[arg(long, global = true, env = "RUST_LOG", default_value = log::DEFAULT, value_name = "FILTER", value_parser = log::filter)]
    log: tracing_subscriber::EnvFilter,
    /// The format of the log
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
}

/// The policies by their words, so that help and errors list them.
fn policies() -> impl TypedValueParser<Value = Policy> {
    PossibleValuesParser::new(Policy::ALL.map(Policy::as_str)).try_map(|word| word.parse::<Policy>())
}

/// Runs the command of the command line.
#[cfg_attr(not(feature = "config"), expect(unused_mut, reason = "a file changes it"))]
pub(super) async fn run_cli(mut operator: Operator) -> Result {
    let given: Vec<_> = std::env::args_os().collect();
    let line = definition(&operator, &given);
    #[cfg(feature = "config")]
    let line = config_load::load(&mut operator, line, &given)?;
    let matches = line.clone().try_get_matches_from(&given);
    let matches = matches.unwrap_or_else(|error| env::explain(renamed(error), &line).exit());
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let command = cli.command.unwrap_or(Command::Run);
    if command.prints_wiring() {
        return print_wiring(&narrowed(operator, &cli.flags), &command);
    }
    #[cfg(feature = "manifests")]
    if matches!(command, Command::Manifests(_)) {
        return manifests(operator, &matches);
    }
    #[cfg(feature = "webhooks")]
    if let Command::Webhooks(args) = &command {
        let target = cli.flags.webhooks.target();
        let target = target.unwrap_or_else(|| WebhookFlags::missing(&mut definition(&operator, &[])).exit());
        return print_webhooks(&narrowed(operator, &cli.flags), &target, args);
    }
    let (filter, format) = (cli.flags.log.clone(), cli.flags.log_format);
    #[cfg(not(feature = "otlp"))]
    let exports = log::begin(filter, format)?;
    #[cfg(feature = "otlp")]
    let exports = log::begin(filter, format, &operator.name, cli.flags.otlp.as_deref())?;
    #[cfg(feature = "config")]
    operator.file.set_filter_by(exports.set_filter.clone());
    env::warn_of_typos(&definition(&operator, &[]));
    #[cfg(feature = "dry-run")]
    let is_dry_run = cli.flags.dry_run;
    let operator = configured(operator, cli.flags).await?;
    #[cfg(feature = "doctor")]
    if let Command::Cluster(command) = &command {
        let code = cluster_command::run(operator, command, std::io::stdout()).await?;
        return if code == 0 { Ok(()) } else { std::process::exit(code.into()) };
    }
    #[cfg(feature = "dependents")]
    if let Command::Render(args) = command {
        return render(operator, args, std::io::stdout()).await;
    }
    #[cfg(feature = "dry-run")]
    if is_dry_run {
        return operator.dry_run(std::io::stdout()).await;
    }
    let shutdown_timeout = operator.shutdown_timeout;
    let signals = Signals::listen(Some(operator.shutdown_timeout))?;
    let ended = operator.run_until(signals.stop()).await;
    exports.finish(shutdown::left(shutdown_timeout, signals.since())).await;
    shutdown::exit_if_dropped(&ended);
    ended
}

/// Prints what the command says about the wiring, or compares it with a file.
fn print_wiring(operator: &Operator, command: &Command) -> Result {
    #[cfg(feature = "webhooks")]
    if matches!(command, Command::Crds) && misses_target(operator) {
        WebhookFlags::missing(&mut definition(operator, &[])).exit();
    }
    operator.check_rules()?;
    match command {
        Command::Contract(ContractArgs { check: Some(file), allow }) => contract_check::check(operator, file, *allow),
        _ => print(&text(operator, command)?),
    }
}

pub(super) fn definition(operator: &Operator, given: &[OsString]) -> clap::Command {
    let command = env::with_variables(Cli::command(), given).name(operator.name.to_string());
    let command = command.mut_arg("feature_gates", |arg| match operator.gates.help() {
        Some(gates) => arg.help(format!("Turns features on or off; several are separated by commas:\n{gates}")),
        None => arg.hide(true),
    });
    match &operator.version {
        Some(version) => command.version(version.clone()),
        None => command,
    }
}

/// Runs `manifests`; with `--check` it repeats the command that wrote the folder.
#[cfg(feature = "manifests")]
#[cfg_attr(not(feature = "config"), expect(unused_mut, reason = "a file changes it"))]
fn manifests(mut operator: Operator, matches: &clap::ArgMatches) -> Result {
    let Some((flags, given)) = given_manifests(&operator, matches) else { return Ok(()) };
    let Some(place) = &given.args.check else {
        return manifest_command::run(&described(operator, &flags)?, &given);
    };
    let record = manifest_command::record(place, &given.flags)?;
    let first = [operator.name.to_string(), "manifests".to_owned(), "--out=.".to_owned()];
    let again: Vec<OsString> = first.iter().chain(&record.arguments).map(Into::into).collect();
    let line = definition(&operator, &[]);
    #[cfg(feature = "config")]
    let line = config_load::load(&mut operator, line, &again)?;
    let again = line.try_get_matches_from(again);
    let again = again.map_err(|error| manifest_command::outdated(place, &error))?;
    let Some((flags, given)) = given_manifests(&operator, &again) else { return Ok(()) };
    manifest_command::check(&described(operator, &flags)?, &given, place, &record)
}

/// The flags of `manifests`; `None` for another command. Its `--namespace` is that of the operator, and not one that it watches.
#[cfg(feature = "manifests")]
fn given_manifests(operator: &Operator, matches: &clap::ArgMatches) -> Option<(Flags, manifest_command::Given)> {
    let mut line = definition(operator, &[]);
    line.build();
    let Cli { command, mut flags } = Cli::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    #[cfg_attr(not(feature = "config"), expect(unused_mut, reason = "a file changes it"))]
    let Some(Command::Manifests(mut args)) = command else { return None };
    #[cfg(feature = "config")]
    config_load::add_to_manifests(&operator.file, &mut args.watched, &mut args.elects);
    flags.namespaces.clone_from(&args.watched);
    let given = line.find_subcommand("manifests").zip(matches.subcommand_matches("manifests"));
    let given = given.map(|(command, matches)| manifest_args::given(command, matches)).unwrap_or_default();
    #[cfg(feature = "webhooks")]
    let webhooks = flags.webhooks.address();
    #[cfg(not(feature = "webhooks"))]
    let webhooks = None;
    let listen = flags.listener.address;
    Some((flags, manifest_command::Given { args, flags: given, listen, webhooks }))
}

/// The operator with the flags on which its objects depend.
#[cfg(feature = "manifests")]
fn described(operator: Operator, flags: &Flags) -> Result<Operator> {
    let mut operator = narrowed(operator, flags);
    if let Some(selector) = &flags.label_selector {
        operator = operator.label_selector(selector);
    }
    if let Some(gates) = &flags.feature_gates {
        operator.gates.set(gates)?;
    }
    operator.shutdown_timeout = flags.shutdown_timeout.map_or(operator.shutdown_timeout, Into::into);
    Ok(operator)
}

/// The operator with the flags on which its roles depend.
fn narrowed(operator: Operator, flags: &Flags) -> Operator {
    let operator = if flags.namespaces.is_empty() { operator } else { operator.namespaces(&flags.namespaces) };
    let operator = if flags.cluster_wide_watches { operator.cluster_wide_watches() } else { operator };
    #[cfg(feature = "lease")]
    let operator = flags.replicas.apply(operator);
    #[cfg(feature = "metrics")]
    let operator = flags.listener.apply(operator);
    #[cfg(feature = "webhooks")]
    let operator = aimed_at(operator, flags.webhooks.target());
    #[cfg(feature = "dependents")]
    let operator = flags.default_service_account.iter().fold(operator, Operator::default_service_account);
    operator
}

/// The operator with the flags of a line that a test gives.
#[cfg(feature = "config")]
pub(super) async fn configured_by(mut operator: Operator, given: &[OsString]) -> Result<Operator> {
    let line = definition(&operator, given);
    let line = config_load::load(&mut operator, line, given)?;
    let refused = |error: clap::Error| Error::new(Reason::Setup, error.to_string(), "see `--help`").caused_by(error);
    let matches = line.try_get_matches_from(given).map_err(refused)?;
    let cli = Cli::from_arg_matches(&matches).map_err(refused)?;
    configured(operator, cli.flags).await
}

async fn configured(operator: Operator, flags: Flags) -> Result<Operator> {
    let mut operator = narrowed(operator, &flags);
    if let Some(selector) = &flags.label_selector {
        operator = operator.label_selector(selector);
    }
    operator.limits.concurrency = flags.concurrency.unwrap_or(operator.limits.concurrency);
    if let Some(gates) = &flags.feature_gates {
        operator.gates.set(gates)?;
    }
    if let Some(passes) = flags.total_concurrency {
        operator = operator.total_concurrency(passes);
    }
    if let Some(retries) = flags.retries_per_second {
        operator = operator.retries_per_second(retries);
    }
    #[cfg(feature = "metrics")]
    if let Some(address) = flags.listener.address {
        operator = operator.listen(address);
    }
    #[cfg(feature = "webhooks")]
    if let Some(server) = flags.webhooks.server() {
        operator = operator.webhooks(server);
    }
    operator.shutdown_timeout = flags.shutdown_timeout.map_or(operator.shutdown_timeout, Into::into);
    operator.streaming_lists &= !flags.paged_lists;
    operator.policy = flags.default_policy.unwrap_or(operator.policy);
    if let Some(namespace) = flags.operator_namespace {
        operator = operator.operator_namespace(namespace);
    }
    if flags.no_cross_namespace_refs {
        operator = operator.access(Access::SameNamespace);
    }
    if operator.client.is_none() && (flags.kubeconfig.is_some() || flags.context.is_some()) {
        operator.config = Some(read(flags.kubeconfig, flags.context).await?);
    }
    Ok(operator)
}

async fn read(path: Option<PathBuf>, context: Option<String>) -> Result<Config> {
    let file = path.map_or_else(Kubeconfig::read, Kubeconfig::read_from);
    let options = KubeConfigOptions { context, ..KubeConfigOptions::default() };
    let config = match file {
        Ok(file) => Config::from_custom_kubeconfig(file, &options).await,
        Err(error) => Err(error),
    };
    config.map_err(|error| {
        let headline = format!("the kubeconfig cannot be used: {}", chain(&error));
        Error::new(Reason::Config, headline, "check --kubeconfig and --context with `kubectl config get-contexts`")
            .caused_by(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_accepted_before_and_after_the_command() {
        for line in [["op", "-n", "a", "run"], ["op", "run", "-n", "a"]] {
            let cli = Cli::try_parse_from(line).unwrap();
            assert_eq!(cli.flags.namespaces, ["a"]);
        }
        assert!(Cli::try_parse_from(["op"]).unwrap().command.is_none());
    }

    #[test]
    fn the_help_lists_the_exit_codes_and_the_shutdown_timeout() {
        let help = Cli::command().render_help().to_string();
        for code in ["0 ", "1 ", "2 ", "3 ", "70 ", "130 ", "143 "] {
            assert!(help.lines().any(|line| line.trim_start().starts_with(code)), "{code} in {help}");
        }
        let shutdown_timeout =
            |text| Cli::try_parse_from(["op", "--shutdown-timeout", text]).map(|cli| cli.flags.shutdown_timeout);
        assert_eq!(shutdown_timeout("2m").unwrap(), Some(Interval::from(std::time::Duration::from_secs(120))));
        assert!(shutdown_timeout("25").unwrap_err().to_string().contains("write for example \"30s\""));
    }

    #[test]
    fn a_limit_of_zero_is_rejected_with_the_flag() {
        for flag in ["--concurrency", "--total-concurrency", "--retries-per-second"] {
            let error = Cli::try_parse_from(["op", flag, "0"]).unwrap_err().to_string();
            assert!(error.contains(flag) && error.contains("zero"), "{error}");
        }
    }

    #[test]
    fn a_renamed_flag_fails_with_its_new_name() {
        for (line, new) in [(["op", "rights"], "`rbac`"), (["op", "--grace"], "`--shutdown-timeout`")] {
            let error = renamed(Cli::try_parse_from(line).unwrap_err()).to_string();
            assert!(error.contains(new) && !error.contains("similar"), "{error}");
        }
        let error = renamed(Cli::try_parse_from(["op", "rbca"]).unwrap_err()).to_string();
        assert!(error.contains("similar") && error.contains("'rbac'"), "{error}");
    }

    #[test]
    fn the_command_line_definition_is_valid() {
        Cli::command().debug_assert();
    }
}
