//! The signals that stop an operator, received on a thread of their own.
//!
//! A step may hold every worker thread of the runtime, and then neither its signals nor its timers are looked at. So the thread has a
//! runtime of its own, and ends the process itself where the program does not.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::error::{Error, Reason, Result};
use super::shutdown::{MARGIN, UNFINISHED};

/// How long the last line of the log may take: a log that nobody reads must not hold up the end.
const LAST_LINE: Duration = Duration::from_millis(200);

/// What SIGTERM and Ctrl-C do from now on.
pub(super) struct Signals {
    /// When the first one came.
    first: watch::Receiver<Option<Instant>>,
}

impl Signals {
    /// The first signal stops the operator, a second one ends the process at once. Where a shutdown timeout is given, the process ends soon after
    /// it, whatever still runs.
    ///
    /// # Errors
    /// The system gives no thread, or refuses the handlers.
    pub(super) fn listen(shutdown_timeout: Option<Duration>) -> Result<Self> {
        let (received, first) = watch::channel(None);
        let (listens, ready) = mpsc::channel();
        let thread = thread::Builder::new().name("signals".into());
        thread.spawn(move || receive(&listens, &received, shutdown_timeout)).map_err(|error| deaf(&error))?;
        // A thread that ended without a word has panicked.
        let listening = ready.recv().unwrap_or_else(|error| Err(std::io::Error::other(error)));
        listening.map_err(|error| deaf(&error))?;
        Ok(Self { first })
    }

    /// Returns at the first signal.
    pub(super) async fn stop(&self) {
        if self.first.clone().wait_for(Option::is_some).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// How long ago the first signal came.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "what is exported has to be sent in time"))]
    pub(super) fn since(&self) -> Option<Duration> {
        self.first.borrow().map(|first| first.elapsed())
    }
}

fn deaf(error: &std::io::Error) -> Error {
    let headline = format!("SIGTERM and Ctrl-C cannot be received: {error}");
    Error::new(Reason::Config, headline, "check how many threads and open files the process may have")
}

type Ready = mpsc::Sender<std::io::Result<()>>;

fn receive(listens: &Ready, received: &watch::Sender<Option<Instant>>, shutdown_timeout: Option<Duration>) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return drop(listens.send(Err(error))),
    };
    runtime.block_on(async {
        let mut handlers = match Handlers::install() {
            Ok(handlers) => handlers,
            Err(error) => return drop(listens.send(Err(error))),
        };
        let _ = listens.send(Ok(()));
        handlers.next().await;
        received.send_replace(Some(Instant::now()));
        tokio::select! {
            code = handlers.next() => exit(code, "a second signal: the program ends at once"),
            () = after(shutdown_timeout) => exit(UNFINISHED, "the program did not end in time after the stop: a thread is still busy"),
        }
    });
}

async fn after(shutdown_timeout: Option<Duration>) {
    match shutdown_timeout {
        Some(shutdown_timeout) => tokio::time::sleep(shutdown_timeout.saturating_add(MARGIN)).await,
        None => std::future::pending().await,
    }
}

fn exit(code: i32, why: &'static str) {
    let (written, wait) = mpsc::channel::<()>();
    thread::spawn(move || {
        tracing::error!("{why}");
        drop(written);
    });
    let _ = wait.recv_timeout(LAST_LINE);
    std::process::exit(code)
}

#[cfg(unix)]
struct Handlers {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Handlers {
    fn install() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// The exit code of the next signal, as shells count: 128 and its number.
    async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
        }
    }
}

#[cfg(not(unix))]
struct Handlers;

#[cfg(not(unix))]
impl Handlers {
    fn install() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> i32 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        130
    }
}
