//! The app: its kinds, its watchers and its reviews.

use std::sync::Arc;

use evenkeel::Operator;

use crate::journal::Journal;
use crate::namespaces::namespaces;
use crate::reviews::{hosts_of_the_team, normal, team_stays};
use crate::routes::hosts;
use crate::site::site;
use crate::site_v1beta1;
use crate::team::Mail;

/// The operator, whose watchers record their calls.
pub fn operator(journal: &Arc<Journal>) -> Operator {
    Operator::new("app")
        .reconciler::<site>(())
        .watcher::<Mail>(Mail::new(journal.clone()))
        .watcher::<namespaces>(journal.clone())
        .serves::<site_v1beta1::Site>()
        .rules::<(team_stays,)>()
        .admission::<(normal, hosts_of_the_team)>(())
        .routes::<(hosts,)>(())
}
