//! The guide: the behaviour of the framework and the reasons for it.

/// Glossary of the terms that evenkeel defines.
///
#[doc = include_str!("glossary.md")]
pub mod glossary {}

/// Outcomes of a pass and the status that each one writes.
///
#[doc = include_str!("outcomes.md")]
pub mod outcomes {}

/// The stages of a pass, in order, and their costs.
///
#[doc = include_str!("pass.md")]
pub mod pass {}

/// The kinds that can be reconciled: custom resources, built-in kinds, kinds of other projects.
///
#[doc = include_str!("kinds.md")]
pub mod kinds {}

/// Watchers: a method for each kind of event.
///
#[doc = include_str!("watchers.md")]
pub mod watchers {}

/// Rules: functions that the API server checks at each write, as CEL.
///
#[doc = include_str!("rules.md")]
pub mod rules {}

/// Reviews of writes: `#[validate]`, `#[mutate]` and their webhooks.
///
#[cfg(all(feature = "cli", feature = "webhooks"))]
#[doc = include_str!("admission.md")]
pub mod admission {}

/// Requests of users about an object: `#[route]`.
///
#[cfg(all(feature = "cli", feature = "routes"))]
#[doc = include_str!("routes.md")]
pub mod routes {}

/// Conversion: versions of a kind that are still served, while another one is stored.
///
#[cfg(all(feature = "cli", feature = "webhooks"))]
#[doc = include_str!("conversion.md")]
pub mod conversion {}

/// The commands about a cluster: `doctor`, `explain` and `status`, which change nothing.
///
#[cfg(feature = "doctor")]
#[doc = include_str!("commands.md")]
pub mod commands {}

/// Upgrades: a new version of the program, or of its kinds, and `migrate`.
///
#[cfg(all(feature = "doctor", feature = "lease", feature = "webhooks"))]
#[doc = include_str!("upgrades.md")]
pub mod upgrades {}

/// Images: one static program, its checks and its release.
///
#[cfg(feature = "manifests")]
#[doc = include_str!("image.md")]
pub mod image {}

/// Manifests: the objects that install an operator.
///
#[cfg(feature = "manifests")]
#[doc = include_str!("manifests.md")]
pub mod manifests {}

/// The configuration file: values for flags, and settings that change while the operator runs.
///
#[cfg(feature = "config")]
#[doc = include_str!("configuration.md")]
pub mod configuration {}

/// Alerts for Prometheus, and a dashboard for Grafana.
///
#[cfg(feature = "manifests")]
#[doc = include_str!("monitoring.md")]
///
#[doc = include_str!("monitoring.svg")]
///
#[doc = include_str!("monitoring_settings.md")]
///
#[doc = include_str!("monitoring_alerts.md")]
pub mod monitoring {}

/// The life of an object, compared with a generic controller.
///
#[doc = include_str!("lifecycle.md")]
pub mod lifecycle {}

/// Deliberate differences between evenkeel and its sources.
///
#[doc = include_str!("deviations.md")]
pub mod deviations {}

/// Differences from the results of Flux.
///
/// Every recorded case gives the same result as in Flux, unless one of these rules applies to it. The numbers with `Q` refer to quirks of the
/// Flux result model, those with `F` to the strict kstatus checks.
///
#[doc = include_str!("cases.md")]
pub mod cases {}

/// Differences from the recorded cases of other systems.
///
/// All other cases of these systems that are run give the same result.
///
#[doc = include_str!("systems.md")]
pub mod systems {}

/// The share of plumbing in the code of an operator, and how it is counted.
///
#[doc = include_str!("plumbing.md")]
pub mod plumbing {}

/// Output generated from the wiring: graph, reference page, contract, RBAC rules.
///
#[doc = include_str!("introspection.md")]
pub mod introspection {}

/// Diagnostics of a running operator: spans, metrics and health.
///
#[doc = include_str!("diagnostics.md")]
pub mod diagnostics {}

/// Features that users expect of an operator framework, compared with four others.
///
#[doc = include_str!("features.md")]
pub mod features {}

/// Dry runs: what an operator would do.
///
#[doc = include_str!("dry_run.md")]
pub mod dry_run {}

/// Shutdown of an operator, and its exit codes.
///
#[doc = include_str!("shutdown.md")]
pub mod shutdown {}

/// Several replicas: one reconciles, and the others wait.
///
#[cfg_attr(feature = "lease", doc = include_str!("replicas.md"))]
pub mod replicas {}

/// Shards: several replicas that work at the same time.
///
#[cfg_attr(feature = "lease", doc = include_str!("shards.md"))]
pub mod shards {}

/// Migration of a hand-written operator, one kind at a time.
///
#[doc = include_str!("kube_controller.md")]
pub mod kube_controller {}

/// Dependents: a set of objects that a step keeps.
///
#[doc = include_str!("dependents.md")]
pub mod dependents {}

/// Faults of SAP's component reconciler that evenkeel does not have.
///
#[doc = include_str!("sap_faults.md")]
pub mod sap_faults {}

/// The costs of evenkeel, compared with hand-written controllers.
///
#[doc = include_str!("figures.md")]
///
/// # Memory
///
#[doc = include_str!("figures/memory.md")]
///
#[doc = include_str!("figures/memory.svg")]
///
/// # A million objects
///
#[doc = include_str!("figures/million.md")]
///
/// # Instructions
///
#[doc = include_str!("figures/instructions.md")]
///
#[doc = include_str!("figures/parts.svg")]
///
#[doc = include_str!("figures/share.svg")]
///
#[doc = include_str!("figures/flight.svg")]
///
/// # Latency
///
#[doc = include_str!("figures/latency.md")]
///
/// # Worker threads
///
#[doc = include_str!("figures/threads.md")]
///
/// # Builds
///
#[doc = include_str!("figures/build.md")]
///
/// # Requests
///
#[doc = include_str!("figures/rest.svg")]
///
#[doc = include_str!("figures/restart.svg")]
///
#[doc = include_str!("figures/newcomer.svg")]
///
#[doc = include_str!("figures/outage.svg")]
///
#[doc = include_str!("figures/bare.md")]
///
/// # Dependents
///
#[doc = include_str!("figures/dependents.md")]
///
#[doc = include_str!("figures/dependents_calls.md")]
pub mod figures {}
