//! The guide: what the framework does, and why.

/// The words of this framework, and what they mean.
#[doc = include_str!("glossary.md")]
pub mod glossary {}

/// How a pass ends, and the status that it writes.
#[doc = include_str!("outcomes.md")]
pub mod outcomes {}

/// What happens in a pass, in which order, and what it costs.
#[doc = include_str!("pass.md")]
pub mod pass {}

/// The life of an object, beside a generic controller.
#[doc = include_str!("lifecycle.md")]
pub mod lifecycle {}

/// Where evenkeel does not do what its sources do.
#[doc = include_str!("deviations.md")]
pub mod deviations {}

/// Where the results differ from those of Flux. Every recorded case gives the same result as Flux, but for those in which one of these rules holds.
/// `Q` numbers the quirks of the Flux result model, `F` the strict kstatus checks.
#[doc = include_str!("cases.md")]
pub mod cases {}

/// Where the cases of other systems are not followed; every other case of theirs that is run agrees.
#[doc = include_str!("systems.md")]
pub mod systems {}

/// How much of an operator is plumbing, and how that is counted.
#[doc = include_str!("plumbing.md")]
pub mod plumbing {}

/// What the wiring of a reconciler tells: graph, reference page, contract, RBAC rules.
#[doc = include_str!("introspection.md")]
pub mod introspection {}

/// What an operator tells of itself while it runs.
#[doc = include_str!("diagnostics.md")]
pub mod diagnostics {}

/// How an operator ends, and its exit codes.
#[doc = include_str!("shutdown.md")]
pub mod shutdown {}

/// How an operator that is written by hand moves kind by kind.
#[doc = include_str!("kube_controller.md")]
pub mod kube_controller {}

/// What evenkeel costs beside controllers that are written by hand.
#[doc = include_str!("figures.md")]
///
/// # Memory
///
#[doc = include_str!("figures/memory.md")]
///
#[doc = include_str!("figures/memory.svg")]
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
pub mod figures {}
