//! The deletion controllers for owner references, namespaces and CRDs, in one background task.

mod amend;
mod definition;
mod ending;
mod graph;
mod namespace;
mod owner;
mod retry;
mod role;
mod task;

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep;

use crate::state::Server;
use crate::store::Fed;
use amend::Refused;
use graph::Graph;
use retry::Retries;
use task::{Place, Task};

/// Starts the controllers. They stop when the server is dropped.
pub(crate) fn spawn(server: &Arc<Server>) {
    let feed = server.store.feed();
    tokio::spawn(run(Arc::downgrade(server), feed));
}

async fn run(server: Weak<Server>, mut feed: UnboundedReceiver<Fed>) {
    let (mut graph, mut retries) = (Graph::default(), Retries::default());
    loop {
        let mut tasks = tokio::select! {
            fed = feed.recv() => match fed {
                Some(first) => graph.absorb(&first),
                None => return,
            },
            due = retries.due() => due,
        };
        let Some(delay) = server.upgrade().map(|server| server.options.gc_delay) else { return };
        if !delay.is_zero() && !tasks.is_empty() {
            sleep(delay).await;
        }
        while let Ok(fed) = feed.try_recv() {
            tasks.extend(graph.absorb(&fed));
        }
        let Some(server) = server.upgrade() else { return };
        for task in once_each(tasks) {
            match carry_out(&server, &graph, &task).await {
                Refused(true) => retries.refused(task),
                Refused(false) => retries.done(&task),
            }
        }
    }
}

fn once_each(tasks: Vec<Task>) -> Vec<Task> {
    let mut seen = HashSet::new();
    tasks.into_iter().filter(|task| seen.insert(task.clone())).collect()
}

async fn carry_out(server: &Server, graph: &Graph, task: &Task) -> Refused {
    match task {
        Task::Dependent(uid) => return owner::dependent(server, graph, uid).await,
        Task::Owner(uid) => owner::waiting(server, graph, uid),
        Task::Clear(Place::Namespace(name)) => return namespace::clear(server, name).await,
        Task::Clear(Place::Definition(name)) => definition::clear(server, name),
        Task::Close(Place::Namespace(name)) => namespace::close(server, name),
        Task::Close(Place::Definition(name)) => definition::close(server, name),
        Task::Delete(node) => return amend::delete(server, node, namespace::CONTROLLER).await,
        Task::Roles => role::aggregate(server),
    }
    Refused(false)
}
