//! Stop signals, received on a separate thread.
//!
//! Steps may block every worker thread of the runtime, which then handles neither signals nor timers. So this thread has its own runtime,
//! and exits the process if the program does not.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::error::{Error, Reason, Result};
use super::shutdown::{MARGIN, UNFINISHED};

/// Timeout for the last log line: a reader that is stuck must not delay the exit.
const LAST_LINE: Duration = Duration::from_millis(200);

/// The handlers of SIGTERM and Ctrl-C.
pub(super) struct Signals {
    /// The time of the first signal. Of std, since two runtimes read it: that of the thread and that of the operator.
    first: watch::Receiver<Option<Instant>>,
}

impl Signals {
    /// Installs the handlers. The first signal stops the operator, the second one exits the process immediately. With a shutdown timeout,
    /// the process exits shortly after it, even if threads are busy.
    ///
    /// # Errors
    /// The thread cannot be started, or the handlers cannot be installed.
    pub(super) fn listen(shutdown_timeout: Option<Duration>) -> Result<Self> {
        let (received, first) = watch::channel(None);
        let (listens, ready) = mpsc::channel();
        let thread = thread::Builder::new().name("signals".into());
        thread.spawn(move || receive(&listens, &received, shutdown_timeout)).map_err(deaf)?;
        // A thread that ended without a message has panicked.
        let listening = ready.recv().unwrap_or_else(|error| Err(std::io::Error::other(error)));
        listening.map_err(deaf)?;
        Ok(Self { first })
    }

    /// Waits for the first signal.
    pub(super) async fn stop(&self) {
        if self.first.clone().wait_for(Option::is_some).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// The time since the first signal.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "what is exported has to be sent in time"))]
    pub(super) fn since(&self) -> Option<Duration> {
        self.first.borrow().map(|first| first.elapsed())
    }
}

fn deaf(error: std::io::Error) -> Error {
    let headline = format!("SIGTERM and Ctrl-C cannot be received: {error}");
    Error::new(Reason::Config, headline, "check the limits of the process for threads and open files").caused_by(error)
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

    /// The exit code for the next signal: 128 plus its number, as in shells.
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
