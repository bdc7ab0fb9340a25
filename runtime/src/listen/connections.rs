//! The connections of the listener: limited in number, but a new connection never waits for the others to end.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{Instant, sleep_until};

use crate::lock::Mutex;

/// The minimum time before a connection may be closed for another one: its request may be arriving or being answered.
const LEAST: Duration = Duration::from_millis(100);

/// The time of the last complete request, or of the accept if there was none.
#[derive(Clone)]
pub(crate) struct Since(Arc<Mutex<Use>>);

#[derive(Clone, Copy)]
struct Use {
    last: Instant,
    /// The number of requests that are being answered.
    busy: usize,
}

#[cfg(any(test, feature = "webhooks"))]
/// A request that is being answered. Its connection is not closed for another one.
pub(crate) struct Busy(Since);

impl Since {
    fn now() -> Self {
        Self(Arc::new(Mutex::new(Use { last: Instant::now(), busy: 0 })))
    }

    /// Records a complete request.
    pub(crate) fn renew(&self) {
        self.0.lock().last = Instant::now();
    }

    /// Records a complete request, and that it is being answered until the result is dropped.
    #[cfg(any(test, feature = "webhooks"))]
    pub(crate) fn begin(&self) -> Busy {
        self.renew();
        self.0.lock().busy += 1;
        Busy(self.clone())
    }

    /// The time since which the connection is idle, if it is.
    fn idle(&self) -> Option<Instant> {
        let used = *self.0.lock();
        (used.busy == 0).then_some(used.last)
    }
}

#[cfg(any(test, feature = "webhooks"))]
impl Drop for Busy {
    fn drop(&mut self) {
        let mut used = self.0.0.lock();
        (used.busy, used.last) = (used.busy - 1, Instant::now());
    }
}

/// The open connections. Dropping the value closes them.
pub(crate) struct Connections {
    most: usize,
    tasks: JoinSet<()>,
    open: HashMap<Id, (Since, AbortHandle)>,
}

impl Connections {
    /// At most this many connections.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, tasks: JoinSet::new(), open: HashMap::new() }
    }

    /// Serves another connection. At the limit, closes the idle connection that has gone longest without a complete request.
    pub(crate) async fn add<F>(&mut self, serve: impl FnOnce(Since) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.make_room().await;
        let since = Since::now();
        let task = self.tasks.spawn(serve(since.clone()));
        self.open.insert(task.id(), (since, task));
    }

    async fn make_room(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.open.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
        }
        while self.open.len() >= self.most {
            let idle = self.open.iter().filter_map(|(id, (since, _))| Some((since.idle()?, *id)));
            let (since, id) = idle.min().map_or((Instant::now(), None), |(since, id)| (since, Some(id)));
            if let Some(id) = id.filter(|_| since.elapsed() >= LEAST) {
                self.close(id);
                return;
            }
            tokio::select! {
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.open.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
                }
                () = sleep_until(since + LEAST) => {}
            }
        }
    }

    fn close(&mut self, id: Id) {
        if let Some((_, task)) = self.open.remove(&id) {
            task.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::{advance, sleep};

    use super::*;

    const MOST: usize = 256;

    /// Connections that never end, with what keeps them: a dropped sender is a closed connection.
    struct Bench {
        connections: Connections,
        held: Vec<(Since, tokio::sync::oneshot::Receiver<()>)>,
    }

    impl Bench {
        async fn full() -> Self {
            let mut bench = Self { connections: Connections::new(MOST), held: Vec::new() };
            for _ in 0..MOST {
                bench.connect().await;
            }
            bench
        }

        async fn connect(&mut self) {
            let (open, closed) = tokio::sync::oneshot::channel();
            let held = &mut self.held;
            let serve = move |since: Since| {
                held.push((since, closed));
                async move {
                    let _open: tokio::sync::oneshot::Sender<()> = open;
                    pending::<()>().await;
                }
            };
            self.connections.add(serve).await;
            // A millisecond between any two.
            sleep(Duration::from_millis(1)).await;
        }

        /// The numbers of the closed ones.
        fn closed(&mut self) -> Vec<usize> {
            let closed = |receiver: &mut tokio::sync::oneshot::Receiver<()>| {
                matches!(receiver.try_recv(), Err(tokio::sync::oneshot::error::TryRecvError::Closed))
            };
            (0..self.held.len()).filter(|at| closed(&mut self.held[*at].1)).collect()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_takes_the_place_of_the_one_longest_without_a_request() {
        let mut bench = Bench::full().await;
        assert!(bench.closed().is_empty());
        bench.held[0].0.renew();
        bench.held[2].0.renew();
        for _ in 0..3 {
            bench.connect().await;
        }
        assert_eq!(bench.closed(), [1, 3, 4]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_request_is_being_answered_keeps_its_place() {
        let mut bench = Bench::full().await;
        let answering: Vec<Busy> = bench.held.iter().skip(1).map(|(since, _)| since.begin()).collect();
        sleep(LEAST).await;
        bench.connect().await;
        assert_eq!(bench.closed(), [0]);
        // The new one has its place for a while, so a further one waits for it; the others are still busy.
        bench.connect().await;
        assert_eq!(bench.closed(), [0, MOST]);
        drop(answering);
        sleep(LEAST).await;
        bench.connect().await;
        assert_eq!(bench.closed().len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_was_just_accepted_keeps_its_place_for_a_while() {
        let mut bench = Bench::full().await;
        for (since, _) in &bench.held {
            since.renew();
        }
        let began = Instant::now();
        bench.connect().await;
        assert!(began.elapsed() >= LEAST, "{:?}", began.elapsed());
        assert_eq!(bench.closed().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_has_ended_makes_room() {
        let mut connections = Connections::new(MOST);
        for _ in 0..10 * MOST {
            connections.add(|_| async {}).await;
            advance(Duration::from_millis(1)).await;
        }
        assert!(connections.open.len() <= MOST);
        connections.make_room().await;
        assert_eq!(connections.open.len(), 0, "none was forgotten");
    }
}
