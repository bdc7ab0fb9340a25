//! The contract of an operator, from its reconcilers, CRDs, roles, metrics and flags.

use std::collections::{BTreeMap, BTreeSet};

use super::builder::Operator;
#[cfg(all(feature = "cli", feature = "lease", feature = "metrics"))]
use super::replicas::ShardMode;
use crate::introspection::{Contract, CrdContract, RbacRule};
#[cfg(all(feature = "cli", feature = "metrics"))]
use crate::telemetry::metrics::{self, Parts};

/// The contract, as `contract` prints it.
pub(super) fn contract(operator: &Operator) -> Contract {
    let mut contract = Contract::of(&operator.introspect(), &operator.app_manifest());
    contract.crds = CrdContract::all(&operator.definitions());
    contract.rights = rights(&operator.rbac_rules());
    #[cfg(all(feature = "cli", feature = "metrics"))]
    {
        contract.metrics = metrics::names(parts(operator));
    }
    #[cfg(feature = "cli")]
    {
        contract.flags = flags(operator);
    }
    contract
}

/// The verbs by group and resource.
fn rights(rules: &[RbacRule]) -> BTreeMap<String, BTreeSet<String>> {
    let mut rights: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for rule in rules {
        let group = if rule.group.is_empty() { "core" } else { &rule.group };
        let named = rule.name.map(|name| format!(" named {name}")).unwrap_or_default();
        let verbs = rule.verbs.iter().map(|verb| verb.as_str().to_owned());
        rights.entry(format!("{group}/{}{named}", rule.resource)).or_default().extend(verbs);
    }
    rights
}

/// What the operator has metrics about.
#[cfg(all(feature = "cli", feature = "metrics"))]
fn parts(operator: &Operator) -> Parts {
    let wirings: Vec<_> = operator.introspect().into_iter().map(|known| known.wiring).collect();
    let parts = Parts {
        daemons: wirings.iter().any(|wiring| !wiring.daemons.is_empty()),
        watchers: wirings.iter().any(|wiring| wiring.watcher.is_some()),
        policies: wirings.iter().any(|wiring| wiring.policies.is_some()),
        dependents: wirings.iter().any(crate::wiring::Wiring::keeps_dependents),
        gates: operator.gates.help().is_some(),
        ..Parts::default()
    };
    #[cfg(feature = "lease")]
    let parts = match &operator.replicas {
        None => parts,
        Some(replicas) => Parts {
            replicas: true,
            shards: replicas.shards.is_some(),
            divided_caches: replicas.shards.is_some() && replicas.shard_mode == ShardMode::Server,
            ..parts
        },
    };
    #[cfg(feature = "webhooks")]
    let parts = Parts {
        webhooks: !operator.reviews.is_empty(),
        reviews: !operator.reviews.functions.is_empty(),
        mutations: operator.reviews.functions.iter().any(|function| function.info().mutates),
        conversions: !operator.reviews.spokes.is_empty(),
        ..parts
    };
    #[cfg(feature = "routes")]
    let parts = {
        let app = operator.app_manifest();
        Parts { routes: app.kinds.iter().chain(&app.other_kinds).any(|kind| !kind.routes.is_empty()), ..parts }
    };
    parts
}

/// The commands and flags, each with the name of its value.
#[cfg(feature = "cli")]
fn flags(operator: &Operator) -> BTreeMap<String, String> {
    let line = super::cli::definition(operator, &[]);
    let own = given_by(&line);
    let commands = line.get_subcommands().flat_map(|command| {
        let name = command.get_name();
        let itself = (name.to_owned(), String::new());
        std::iter::once(itself).chain(given_by(command).map(move |(flag, value)| (format!("{name} {flag}"), value)))
    });
    own.chain(commands).collect()
}

/// The arguments of a command that users see, each with the name of its value.
#[cfg(feature = "cli")]
fn given_by(command: &clap::Command) -> impl Iterator<Item = (String, String)> {
    let seen = command.get_arguments().filter(|arg| !arg.is_hide_set());
    seen.map(|arg| {
        let name = arg.get_long().map_or_else(|| format!("<{}>", arg.get_id()), |long| format!("--{long}"));
        let values = arg.get_value_names().filter(|_| arg.get_action().takes_values());
        (name, values.map(|values| values.join(" ")).unwrap_or_default())
    })
}
