//! The deletion controllers for owner references, namespaces and CRDs, in one background task.

mod amend;
mod definition;
mod ending;
mod graph;
mod namespace;
mod owner;
mod role;
mod task;

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep;

use crate::state::Server;
use crate::store::Fed;
use graph::Graph;
use task::{Place, Task};

/// Starts the controllers. They stop when the server is dropped.
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
        Task::Clear(Place::Namespace(name)) => namespace::clear(server, name),
        Task::Clear(Place::Definition(name)) => definition::clear(server, name),
        Task::Close(Place::Namespace(name)) => namespace::close(server, name),
        Task::Close(Place::Definition(name)) => definition::close(server, name),
        Task::Delete(node) => amend::delete(server, node),
        Task::Roles => role::aggregate(server),
    }
}
