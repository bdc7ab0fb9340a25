//! The app: its kinds, its watchers and its reviews.

use std::sync::Arc;

use evenkeel::Operator;

use crate::journal::Journal;
use crate::namespaces::namespaces;
use crate::reviews::{hosts_of_the_team, normal, team_stays};
use crate::site::site;
use crate::team::Mail;

/// The operator, whose watchers record their calls.
pub fn operator(journal: &Arc<Journal>) -> Operator {
    Operator::new("app")
        .reconciler::<site>(())
        .watcher::<Mail>(Mail::new(journal.clone()))
        .watcher::<namespaces>(journal.clone())
        .rules::<(team_stays,)>()
        .admission::<(normal, hosts_of_the_team)>(())
}
