//! One task, four frameworks: runs the scenario for each operator, and counts. `--help` describes it.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "progress and a table are what it is for")]

mod options;

use std::process::ExitCode;
use std::time::Duration;

use evenkeel_comparison::api_server::ApiServer;
use evenkeel_comparison::framework::Framework;
use evenkeel_comparison::site::Site;
use evenkeel_comparison::table::Figures;
use evenkeel_comparison::{Result, idle, kills, life, lines, memory, recorded, scenario};
use futures::future::join_all;
use options::{Options, Part};
use tokio::signal::ctrl_c;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(help) => {
            println!("{help}");
            return ExitCode::from(if std::env::args().any(|word| word == "--help" || word == "-h") { 0 } else { 2 });
        }
    };
    let result = tokio::select! {
        result = compare(&options) => result,
        // The servers of a run end with their values.
        result = interrupted() => result,
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Waits for Ctrl-C or SIGTERM.
async fn interrupted() -> Result<()> {
    let mut term = signal(SignalKind::terminate())?;
    tokio::select! {
        result = ctrl_c() => result?,
        _ = term.recv() => {}
    }
    Err("interrupted".into())
}

async fn compare(options: &Options) -> Result<()> {
    let mut measured = Vec::new();
    for framework in options.frameworks.iter().copied() {
        measured.push((framework, figures(framework, options).await));
    }
    if options.runs(Part::Idle) {
        let minutes = options.idle_minutes;
        println!("all: an idle operator, {minutes} minutes");
        let idle = join_all(measured.iter().map(|(framework, figures)| idle(*framework, figures, minutes))).await;
        for ((_, figures), idle) in measured.iter_mut().zip(idle) {
            figures.idle = idle;
        }
    }
    let overwrites = std::env::var_os("GENERATED").is_some_and(|word| word == "overwrite");
    let mut all = if overwrites { recorded::read()? } else { recorded::Recorded::default() };
    for (framework, figures) in measured {
        recorded::merge(&mut all, framework, figures);
    }
    println!("\n{}", recorded::rendered(&all)?);
    if overwrites { recorded::write(&all) } else { Ok(()) }
}

/// All figures of a framework but those of the idle day, which are counted for all frameworks at the same time.
async fn figures(framework: Framework, options: &Options) -> Figures {
    let mut figures = Figures::default();
    println!("{}: building", framework.name());
    if let Err(error) = framework.prepare() {
        println!("{}: left out, {error}", framework.name());
        figures.left_out = Some(error.to_string());
        return figures;
    }
    figures.lines = shown(framework, "lines of code", lines::of(framework));
    if options.runs(Part::Scenario) {
        figures.passed = shown(framework, "scenario", checked(framework).await);
    }
    if options.runs(Part::Life) || options.runs(Part::Kills) {
        figures.life = shown(framework, "one life", async { life::count(&mut open(framework).await?.1).await }.await);
    }
    if let (true, Some(life)) = (options.runs(Part::Kills), figures.life) {
        let kills = async { kills::count(&mut open(framework).await?.1, options.kills, life.least.points).await };
        figures.left = shown(framework, "kills", kills.await);
    }
    if options.runs(Part::Memory) {
        let memory = async { memory::measure(&mut open(framework).await?.1, options.objects).await };
        figures.memory = shown(framework, "memory", memory.await);
    }
    figures
}

async fn idle(framework: Framework, figures: &Figures, minutes: u64) -> Option<evenkeel_comparison::requests::Counts> {
    if figures.left_out.is_some() {
        return None;
    }
    let counted = async { idle::count(&mut open(framework).await?.1, Duration::from_secs(minutes * 60)).await };
    shown(framework, "an idle day", counted.await)
}

/// Starts an API server of its own, and prepares it.
async fn open(framework: Framework) -> Result<(ApiServer, Site)> {
    let server = ApiServer::start()?;
    let site = Site::open(framework, server.client().await?).await?;
    Ok((server, site))
}

async fn checked(framework: Framework) -> Result<(usize, usize)> {
    let (_server, mut site) = open(framework).await?;
    let checks = scenario::run(&mut site).await?;
    for check in &checks {
        match &check.error {
            None => println!("{}: passed: {}", framework.name(), check.name),
            Some(error) => println!("{}: FAILED: {}: {error}", framework.name(), check.name),
        }
    }
    Ok((checks.iter().filter(|check| check.error.is_none()).count(), checks.len()))
}

fn shown<T: std::fmt::Debug>(framework: Framework, what: &str, result: Result<T>) -> Option<T> {
    match &result {
        Ok(figure) => println!("{}: {what}: {figure:?}", framework.name()),
        Err(error) => println!("{}: {what} failed: {error}", framework.name()),
    }
    result.ok()
}
