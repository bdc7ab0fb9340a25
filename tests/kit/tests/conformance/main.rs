//! The behaviour of a Kubernetes API server that operators rely on, as rules that are checked on the embedded server and on real ones.
//!
//! `cargo test -p evenkeel-testkit --test conformance -- [part of a name]`. If `EVENKEEL_REAL_APISERVER` is the directory of the real
//! servers (see `tests/kit/real.sh`), the rules are checked on those too: a rule must hold on a real server.
#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot use")]

mod accepted;
mod apply;
mod body;
mod bomb;
mod builtin;
mod cel;
mod check;
mod collect;
mod conversion;
mod conversion_answer;
mod conversion_bundle;
mod conversion_owner;
mod conversion_script;
mod conversion_server;
mod conversion_storage;
mod cost;
mod crd;
mod default;
mod delete;
mod env;
mod event;
mod expression;
mod list;
mod misuse;
mod policy;
mod policy_choice;
mod policy_server;
mod rbac;
mod registration;
mod rule;
mod runtime;
mod server;
mod shard;
mod status;
mod table;
mod token;
mod watch;
mod webhook;
mod webhook_answer;
mod webhook_choice;
mod webhook_server;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use accepted::Accepted;
use futures::StreamExt;
use rule::{Rule, Where};
use server::Server;

#[tokio::main]
async fn main() -> ExitCode {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let rules = all();
    let accepted = Accepted::parse(include_str!("accepted.txt"));
    let names: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
    let mut failed = accepted.strangers(&names);
    let asked: Vec<Rule> = rules.into_iter().filter(|rule| sentence(rule.name).contains(&filter)).collect();
    let embedded =
        async { tokio::join!(ask_all(&Server::Kit, &asked, &accepted), ask_all(&Server::Http, &asked, &accepted)) };
    if let Some(folder) = std::env::var_os("EVENKEEL_REAL_APISERVER").map(PathBuf::from) {
        let modern = Server::Real { name: "modern", kubeconfig: folder.join("kubeconfig-modern") };
        let full = Server::Real { name: "full", kubeconfig: folder.join("kubeconfig") };
        let real = async { tokio::join!(ask_all(&modern, &asked, &accepted), ask_all(&full, &asked, &accepted)) };
        let (embedded, real) = tokio::join!(embedded, real);
        failed.extend([embedded.0, embedded.1, real.0, real.1].concat());
    } else {
        println!("conformance: skipped on real servers: EVENKEEL_REAL_APISERVER is not set, see tests/kit/real.sh");
        let (kit, http) = embedded.await;
        failed.extend([kit, http].concat());
    }
    summary(&failed)
}

fn all() -> Vec<Rule> {
    [
        write::rules(),
        status::rules(),
        delete::rules(),
        list::rules(),
        shard::rules(),
        table::rules(),
        token::rules(),
        misuse::rules(),
        default::rules(),
        rbac::rules(),
        registration::rules(),
        watch::rules(),
        apply::rules(),
        collect::rules(),
        crd::rules(),
        builtin::rules(),
        cel::rules(),
        cost::rules(),
        expression::rules(),
        bomb::rules(),
        body::rules(),
        event::rules(),
        runtime::rules(),
        webhook::rules(),
        webhook_answer::rules(),
        webhook_choice::rules(),
        policy::rules(),
        policy_choice::rules(),
        conversion::rules(),
        conversion_answer::rules(),
        conversion_bundle::rules(),
        conversion_owner::rules(),
        conversion_storage::rules(),
    ]
    .concat()
}

/// Checks several rules concurrently; each has its own namespace.
async fn ask_all(server: &Server, rules: &[Rule], accepted: &Accepted) -> Vec<String> {
    let selects_shards = server.selects_shards().await;
    let asked = rules.iter().filter(|rule| match rule.place {
        Where::Anywhere => true,
        Where::Embedded => server.is_embedded(),
        Where::Sharded => selects_shards || server.is_embedded(),
        Where::Unsharded => !selects_shards,
    });
    let verdicts = asked.map(|rule| async move { report(server.name(), rule, accepted, ask(server, rule).await) });
    let reports: Vec<Option<String>> = futures::stream::iter(verdicts).buffered(server.breadth()).collect().await;
    reports.into_iter().flatten().collect()
}

/// Asks again if a real server had no time for a request: it ends each one after 34 s, whatever the machine is busy with.
async fn ask(server: &Server, rule: &Rule) -> Result<(), String> {
    // The second one is the answer while the cache of a kind is being filled, with the request to try again in a second.
    const NO_TIME: [&str; 2] = ["request did not complete within requested timeout", "storage is (re)initializing"];
    match ask_once(server, rule).await {
        Err(broken) if !server.is_embedded() && NO_TIME.iter().any(|answer| broken.contains(answer)) => {
            println!("conformance: {} had no time for {}, which is asked again", server.name(), sentence(rule.name));
            ask_once(server, rule).await
        }
        verdict => verdict,
    }
}

async fn ask_once(server: &Server, rule: &Rule) -> Result<(), String> {
    let (env, _alive) = server.env(rule).await.map_err(|error| format!("no surroundings: {error}"))?;
    // The rule runs in its own task, so that a panic fails only this rule.
    let asked = tokio::spawn((rule.ask)(env.clone()));
    let verdict = match tokio::time::timeout(Duration::from_secs(100), asked).await {
        Ok(Ok(verdict)) => verdict.map_err(|broken| broken.to_string()),
        Ok(Err(panic)) => Err(panic.to_string()),
        Err(_) => Err("takes too long".to_owned()),
    };
    server.clean(&env).await;
    verdict
}

fn report(server: &str, rule: &Rule, accepted: &Accepted, verdict: Result<(), String>) -> Option<String> {
    let name = format!("{server}: {}", sentence(rule.name));
    let (word, failure) = match (verdict, accepted.reason(server, rule.name)) {
        (Ok(()), None) => ("ok".to_owned(), None),
        (Err(_), Some(reason)) => (format!("differs: {reason}"), None),
        (Err(broken), None) => ("FAILED".to_owned(), Some(broken)),
        (Ok(()), Some(_)) => ("FAILED".to_owned(), Some("holds: remove it from accepted.txt".to_owned())),
    };
    println!("test {name} ... {word}");
    failure.map(|failure| format!("{name}: {failure}"))
}

fn sentence(name: &str) -> String {
    name.replace('_', " ")
}

fn summary(failed: &[String]) -> ExitCode {
    for failure in failed {
        println!("\n---- {failure}");
    }
    println!("\nconformance: {} failed", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
