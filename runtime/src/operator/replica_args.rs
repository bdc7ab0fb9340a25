//! The flags of an operator with several replicas.

use std::num::NonZeroU16;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};

use super::builder::Operator;
use super::replicas::ShardMode;
use crate::lease::ShardElection;

#[derive(Debug, Args)]
pub(super) struct ReplicaFlags {
    /// Elects a leader among several replicas, by a Lease: one replica works, and the others are ready to take over [default: as the
    /// program sets it]
    #[arg(long, global = true, value_parser = BoolishValueParser::new(), overrides_with = "no_replicas")]
    replicas: bool,
    /// Works without an election: there must be no second replica
    #[arg(long, global = true, value_parser = BoolishValueParser::new(), overrides_with = "replicas")]
    no_replicas: bool,
    /// The namespace of the Lease [default: $POD_NAMESPACE, or that of the service account]
    #[arg(long, global = true, value_name = "NAMESPACE")]
    lease_namespace: Option<String>,
    /// Shares the objects between the replicas, in this number of shards (2 to 256), instead of electing one leader. All replicas need the
    /// same number [default: as the program sets it]
    #[arg(long, global = true, value_name = "NUMBER", overrides_with = "no_replicas")]
    shards: Option<NonZeroU16>,
    /// Where the objects of a shard are selected [default: here]
    #[arg(long, global = true, value_name = "MODE")]
    shard_mode: Option<Mode>,
    /// The name of the Lease [default: the name of the operator; with a hash of the label selector, if there is one]
    #[arg(long, global = true, value_name = "NAME")]
    lease_name: Option<String>,
}

/// The values of `--shard-mode`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// Each replica watches all objects
    Here,
    /// The API server selects them: Kubernetes 1.36 with the feature gate `ShardedListAndWatch`
    Server,
}

impl From<Mode> for ShardMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Here => Self::Here,
            Mode::Server => Self::Server,
        }
    }
}

impl ReplicaFlags {
    pub(super) fn apply(&self, mut operator: Operator) -> Operator {
        if self.no_replicas {
            operator.replicas = None;
        } else if self.replicas || self.shards.is_some() {
            operator.replicas.get_or_insert_default();
        }
        operator.start_shards = Some(ShardElection::start);
        if let Some(replicas) = &mut operator.replicas {
            replicas.namespace = self.lease_namespace.clone().or_else(|| replicas.namespace.take());
            replicas.shards = self.shards.or(replicas.shards);
            replicas.shard_mode = self.shard_mode.map_or(replicas.shard_mode, Into::into);
            replicas.name = self.lease_name.clone().or_else(|| replicas.name.take());
        }
        operator
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::operator::replicas::Replicas;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: ReplicaFlags,
    }

    fn given(operator: Operator, line: &[&str]) -> Option<Replicas> {
        let line = [&["op"], line].concat();
        Line::try_parse_from(line).unwrap().flags.apply(operator).replicas
    }

    #[test]
    fn flags_win_over_the_program() {
        let plain = || Operator::new("shop");
        assert_eq!(given(plain(), &[]), None);
        assert_eq!(given(plain(), &["--lease-name", "x"]), None, "a name alone elects no leader");
        assert_eq!(given(plain(), &["--replicas"]), Some(Replicas::default()));
        assert_eq!(given(plain().replicas(), &[]), Some(Replicas::default()));
        assert_eq!(given(plain().replicas(), &["--no-replicas"]), None);
        assert_eq!(given(plain(), &["--no-replicas", "--replicas"]), Some(Replicas::default()), "the last one wins");
        let shards = Replicas { shards: NonZeroU16::new(16), ..Replicas::default() };
        assert_eq!(given(plain(), &["--shards", "16"]), Some(shards));
        assert_eq!(given(plain(), &["--shards", "16", "--no-replicas"]), None);
        let named = given(plain().replicas(), &["--lease-name", "x", "--lease-namespace", "y"]).unwrap();
        assert_eq!((named.name.as_deref(), named.namespace.as_deref()), (Some("x"), Some("y")));
    }
}
