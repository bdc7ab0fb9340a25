//! The watch of the lease, in a task of its own.

use std::time::Duration;

use futures::StreamExt;
use kube::api::{DynamicObject, WatchEvent};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::requests::Requests;
use crate::task::task;

/// The pauses of a failing watch. Meanwhile the candidate reads the lease.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// How long the start of a watch may take.
const START: Duration = Duration::from_secs(10);

/// What the watch reports.
#[derive(Debug)]
pub(super) enum Seen {
    /// Changes are reported from now on.
    Begins,
    Changed(DynamicObject),
    Deleted(DynamicObject),
    /// Changes are not reported any more, with the reason if it is an error.
    Ends(Option<String>),
}

/// A running watch, which ends when it is dropped.
pub(super) struct Follower {
    pub(super) events: mpsc::Receiver<Seen>,
    _task: AbortOnDropHandle<()>,
}

impl Follower {
    pub(super) fn start(requests: Requests) -> Self {
        let (sender, events) = mpsc::channel(16);
        let task = tokio::spawn(task(follow(requests, sender)));
        Self { events, _task: AbortOnDropHandle::new(task) }
    }
}

async fn follow(requests: Requests, sender: mpsc::Sender<Seen>) {
    let mut pause = FIRST;
    loop {
        let begun = Instant::now();
        let why = match tokio::time::timeout(START, requests.watch()).await {
            Ok(Ok(mut events)) => {
                let mut why = None;
                if sender.send(Seen::Begins).await.is_err() {
                    return;
                }
                while let Some(event) = events.next().await {
                    let seen = match event {
                        Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => Seen::Changed(object),
                        Ok(WatchEvent::Deleted(object)) => Seen::Deleted(object),
                        Ok(WatchEvent::Bookmark(_)) => continue,
                        Ok(WatchEvent::Error(status)) => {
                            why = Some(status.message);
                            break;
                        }
                        Err(error) => {
                            why = Some(error);
                            break;
                        }
                    };
                    pause = FIRST;
                    if sender.send(seen).await.is_err() {
                        return;
                    }
                }
                why
            }
            Ok(Err(why)) => Some(why),
            Err(_) => Some(format!("no response within {START:?}")),
        };
        let failed = why.is_some();
        if sender.send(Seen::Ends(why)).await.is_err() {
            return;
        }
        // Servers end each watch after a while. One that ends without any event may do so again at once.
        if failed || begun.elapsed() < LONGEST {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST);
        }
    }
}
