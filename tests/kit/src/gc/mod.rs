//! The controllers behind deletion: owner references, namespaces and definitions, as a background task.

mod amend;
mod definition;
mod graph;
mod namespace;
mod owner;
mod role;

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep;

use crate::server::Server;
use crate::store::Fed;
use graph::Graph;

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Task {
    /// Whether the object of this uid still has an owner.
    Dependent(String),
    /// Whether the object of this uid, whose deletion waits for dependents, may go on.
    Owner(String),
    /// Whether this namespace can be emptied further or removed.
    Namespace(String),
    /// Whether the objects of this definition can be deleted, or it can be removed.
    Definition(String),
    /// Whether the aggregated roles have the rules of those they select.
    Roles,
}

/// Starts the controllers; they end with the server.
pub(crate) fn spawn(server: &Arc<Server>) {
    let feed = server.store.feed();
    tokio::spawn(run(Arc::downgrade(server), feed));
}

async fn run(server: Weak<Server>, mut feed: UnboundedReceiver<Fed>) {
    let mut graph = Graph::default();
    while let Some(first) = feed.recv().await {
        let mut tasks = graph.absorb(&first);
        let Some(delay) = server.upgrade().map(|server| server.options.gc_delay) else { return };
        if !delay.is_zero() && !tasks.is_empty() {
            sleep(delay).await;
        }
        while let Ok(fed) = feed.try_recv() {
            tasks.extend(graph.absorb(&fed));
        }
        let Some(server) = server.upgrade() else { return };
        for task in once_each(tasks) {
            carry_out(&server, &graph, &task);
        }
    }
}

fn once_each(tasks: Vec<Task>) -> Vec<Task> {
    let mut seen = HashSet::new();
    tasks.into_iter().filter(|task| seen.insert(task.clone())).collect()
}

fn carry_out(server: &Server, graph: &Graph, task: &Task) {
    match task {
        Task::Dependent(uid) => owner::dependent(server, graph, uid),
        Task::Owner(uid) => owner::waiting(server, graph, uid),
        Task::Namespace(name) => namespace::empty(server, name),
        Task::Definition(name) => definition::empty(server, name),
        Task::Roles => role::aggregate(server),
    }
}
