//! Runs kubectl against the embedded server, over HTTP.
//!
//! `cargo test -p evenkeel-testkit --test kubectl -- [part of a name]`. Without kubectl the tests are skipped with a message. If
//! `EVENKEEL_REAL_APISERVER` is the directory of the real servers (see `tests/kit/real.sh`), some sessions also run on one of those, and
//! must print the same.
#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot use")]

mod both;
mod create;
mod rbac;
mod read;
mod shell;
mod write;

use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;

use futures::StreamExt;
use shell::Shell;

/// The result of a session.
pub(crate) type Verdict = Result<(), String>;

/// A session and its name, which is a sentence.
pub(crate) struct Session {
    name: &'static str,
    run: fn() -> Pin<Box<dyn Future<Output = Verdict> + Send>>,
}

/// Lists the sessions of a module.
macro_rules! sessions {
    ($($name:ident),* $(,)?) => {
        pub(crate) fn sessions() -> Vec<crate::Session> {
            vec![$(crate::Session { name: stringify!($name), run: || Box::pin($name()) }),*]
        }
    };
}
pub(crate) use sessions;

#[tokio::main]
async fn main() -> ExitCode {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let Some(version) = Shell::version().await else {
        println!("kubectl: skipped, there is no kubectl on the path");
        return ExitCode::SUCCESS;
    };
    println!("kubectl: {version}");
    let all = [read::sessions(), write::sessions(), create::sessions(), rbac::sessions(), both::sessions()].concat();
    let asked = all.into_iter().filter(|session| session.name.replace('_', " ").contains(&filter));
    // A session runs in its own task, so that a panic fails only this session.
    let runs = asked.map(|session| async move {
        let verdict = tokio::spawn((session.run)()).await;
        report(session.name, verdict.unwrap_or_else(|panic| Err(panic.to_string())))
    });
    let reports: Vec<Option<String>> = futures::stream::iter(runs).buffered(4).collect().await;
    let failed: Vec<String> = reports.into_iter().flatten().collect();
    failed.iter().for_each(|failure| println!("\n---- {failure}"));
    println!("\nkubectl: {} failed", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report(name: &str, verdict: Verdict) -> Option<String> {
    let name = name.replace('_', " ");
    println!("test {name} ... {}", if verdict.is_ok() { "ok" } else { "FAILED" });
    verdict.err().map(|why| format!("{name}: {why}"))
}

impl Clone for Session {
    fn clone(&self) -> Self {
        Session { name: self.name, run: self.run }
    }
}
