//! The commands of the command line, and what those print that only read the wiring.

use clap::{Subcommand, ValueEnum};

use super::builder::Operator;
#[cfg(feature = "doctor")]
use super::cluster_command::ClusterCommand;
use super::contract_check::ContractArgs;
use super::error::Result;
#[cfg(feature = "lease")]
use super::lease_role::lease_rules;
#[cfg(feature = "manifests")]
use super::manifest_args::ManifestArgs;
#[cfg(feature = "manifests")]
use super::monitoring::{AlertArgs, alerts_text, dashboard_text};
use super::print::{policies_and_bindings, roles, unwritten, yaml};
#[cfg(feature = "dependents")]
use super::render::RenderArgs;
#[cfg(feature = "webhooks")]
use super::webhook_args::WebhookArgs;
use crate::introspection;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Runs the operator until SIGTERM or Ctrl-C (the default)
    Run,
    /// Prints the CRDs of all reconciled kinds as YAML, for `kubectl apply -f -`
    #[cfg_attr(feature = "webhooks", doc = "")]
    #[cfg_attr(
        feature = "webhooks",
        doc = "A kind with several served versions needs `--webhook-service`, where it is converted."
    )]
    Crds,
    /// Prints the rules about requests as ValidatingAdmissionPolicies with their bindings, for Kubernetes 1.30 and later
    Policies,
    /// Prints a mermaid graph of each reconciler: its steps, and the kinds and conditions that they use
    Wiring,
    /// Prints a reference page of each reconciler in Markdown: conditions, reasons, fixes, events, triggers and writes
    Docs,
    /// Prints alerts as a rule file of Prometheus, or as an object for `kubectl apply -f -`
    ///
    /// With --replicas, those about the leader are among them.
    #[cfg(feature = "manifests")]
    Alerts(AlertArgs),
    /// Prints the dashboard as JSON, which Grafana imports
    ///
    /// With --replicas, it has a row about the leader.
    #[cfg(feature = "manifests")]
    Dashboard,
    /// Prints the stable interface (conditions, reasons, CRDs, rights, metrics, flags) as JSON in a stable order
    ///
    /// With --check, it compares the interface with that of an earlier version instead.
    Contract(ContractArgs),
    /// Prints the manifest of the operator: its kinds with versions, functions and conditions, and its rights
    App {
        /// The output format
        #[arg(long, default_value = "yaml", value_name = "FORMAT")]
        format: AppFormat,
    },
    /// Prints the RBAC rules that the role of the operator needs, or its roles for `kubectl apply -f -`
    Rbac {
        /// The output format
        #[arg(short, long, default_value = "table", value_name = "FORMAT")]
        output: Format,
        /// Prints the roles as with `--output yaml`, and their bindings to this service account
        #[arg(long, value_name = "NAMESPACE/NAME", value_parser = service_account)]
        service_account: Option<(String, String)>,
    },
    #[cfg(feature = "doctor")]
    #[command(flatten)]
    Cluster(ClusterCommand),
    /// Prints the dependents of the object in a file as manifests, without a cluster
    ///
    /// The steps of the reconciler run, and what they would apply is printed: step by step, in each step by wave and kind. Other objects are read
    /// from the files of --with. Nothing is written. External steps, hooks and blocking work do not run. The exit code is 1 if a set cannot be
    /// rendered, or differs when it is rendered again.
    #[cfg(feature = "dependents")]
    Render(RenderArgs),
    /// Prints the webhook configurations of the functions that review writes, for `kubectl apply -f -`
    ///
    /// They contain no `caBundle`: the operator adds it when it starts. The roles by which it does so come first.
    #[cfg(feature = "webhooks")]
    Webhooks(WebhookArgs),
    /// Prints all objects that install the operator, for `kubectl apply -f -`: CRDs, roles, Deployment, webhooks and so on
    ///
    /// The flags of `run` that are given, such as --concurrency, become arguments of the program in the pod. The objects that not every cluster
    /// needs are printed with --only, and are files of their own with --out: flow-control, network and monitoring.
    #[cfg(feature = "manifests")]
    Manifests(Box<ManifestArgs>),
}

impl Command {
    /// Whether it prints what the wiring says, and runs nothing.
    pub(super) const fn prints_wiring(&self) -> bool {
        match self {
            Self::Run => false,
            #[cfg(feature = "doctor")]
            Self::Cluster(_) => false,
            #[cfg(feature = "dependents")]
            Self::Render(_) => false,
            #[cfg(feature = "webhooks")]
            Self::Webhooks(_) => false,
            #[cfg(feature = "manifests")]
            Self::Manifests(_) => false,
            #[cfg(feature = "manifests")]
            Self::Alerts(_) | Self::Dashboard => true,
            Self::Crds
            | Self::Policies
            | Self::Wiring
            | Self::Docs
            | Self::Contract(_)
            | Self::App { .. }
            | Self::Rbac { .. } => true,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum AppFormat {
    /// One document of evenkeel
    Yaml,
    /// An AppManifest of apps.grafana.app/v1alpha1 for each API group
    Grafana,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    /// Aligned columns, with the purpose of each rule
    Table,
    /// A ClusterRole; with --namespace a Role in each namespace
    Yaml,
}

/// Parses `namespace/name`.
fn service_account(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((namespace.to_owned(), name.to_owned()))
        }
        _ => Err("write the namespace and the name of the service account, such as `team-a/robot`"),
    }
}

/// What a command prints of the wiring; nothing for the others.
pub(super) fn text(operator: &Operator, command: &Command) -> Result<String> {
    match command {
        Command::Run => Ok(String::new()),
        #[cfg(feature = "doctor")]
        Command::Cluster(_) => Ok(String::new()),
        #[cfg(feature = "dependents")]
        Command::Render(_) => Ok(String::new()),
        #[cfg(feature = "webhooks")]
        Command::Webhooks(_) => Ok(String::new()),
        #[cfg(feature = "manifests")]
        Command::Manifests(_) => Ok(String::new()),
        Command::Crds => {
            let text = yaml(&operator.definitions()).map_err(unwritten)?;
            Ok(or(text, "# this operator has no CRD\n"))
        }
        Command::Policies => {
            let text = policies_and_bindings(&operator.admission_policies()).map_err(unwritten)?;
            Ok(or(text, "# this operator has no rules about requests\n"))
        }
        Command::Wiring => Ok(or(operator.graphs(), "%% this operator has no reconciler\n")),
        #[cfg(feature = "manifests")]
        Command::Alerts(args) => alerts_text(operator, args),
        #[cfg(feature = "manifests")]
        Command::Dashboard => Ok(dashboard_text(operator)),
        Command::Docs => Ok(or(operator.pages(), "This operator has no reconciler.\n")),
        Command::Contract(_) => Ok(operator.contract().to_string()),
        Command::App { format: AppFormat::Yaml } => yaml([&operator.app_manifest()]).map_err(unwritten),
        Command::App { format: AppFormat::Grafana } => {
            let text = yaml(&operator.grafana_manifests()?).map_err(unwritten)?;
            Ok(or(text, "# this operator has no CRD, and so no manifest\n"))
        }
        Command::Rbac { output: Format::Table, service_account: None } => {
            let sites = match &*operator.site_rules() {
                [] => String::new(),
                rules => format!("\nthe users of sites:\n{}", introspection::text(rules)),
            };
            let rules = operator.rbac_rules();
            let text = if rules.is_empty() { String::new() } else { introspection::text(&rules) };
            #[cfg(feature = "lease")]
            let sites = match &*lease_rules(operator) {
                [] => sites,
                rules => format!("{sites}\nin the namespace of the lease:\n{}", introspection::text(rules)),
            };
            Ok(or(text, NO_RULES) + &sites)
        }
        Command::Rbac { service_account, .. } => {
            let namespace = service_account.as_ref().map(|(namespace, _)| namespace.as_str());
            let text = roles(&operator.roles_in(namespace), service_account.as_ref()).map_err(unwritten)?;
            Ok(or(text, NO_RULES))
        }
    }
}

/// The text of `rbac` for an operator that reads and writes nothing.
const NO_RULES: &str =
    "# this operator needs no rules, except for those of its webhook server, which `webhooks` prints\n";

/// The text, or the other one if there is none. A comment shows that the output is complete.
fn or(text: String, other: &str) -> String {
    if text.is_empty() { other.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(command: &Command) -> String {
        text(&Operator::new("shop").version("1.2.0"), command).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn an_operator_without_a_reconciler_prints_why_there_is_nothing() {
        let yaml = Command::Rbac { output: Format::Yaml, service_account: None };
        let table = Command::Rbac { output: Format::Table, service_account: None };
        for command in [Command::Crds, Command::Policies, Command::Wiring, Command::Docs, yaml, table] {
            let text = printed(&command);
            assert!(text.contains("this operator") || text.contains("This operator"), "{command:?}: {text}");
        }
        let contract = printed(&Command::Contract(ContractArgs::default()));
        assert!(contract.contains("\"operator\": \"shop\"") && contract.contains("\"reconcilers\": {}"), "{contract}");
    }

    #[test]
    fn the_manifest_is_printed_in_both_formats() {
        let yaml = printed(&Command::App { format: AppFormat::Yaml });
        assert_eq!(yaml, "---\nname: shop\nversion: \"1.2.0\"\nkinds: []\n");
        let grafana = printed(&Command::App { format: AppFormat::Grafana });
        assert_eq!(grafana, "# this operator has no CRD, and so no manifest\n");
    }
}
