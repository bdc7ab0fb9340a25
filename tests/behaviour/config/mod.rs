//! The configuration file: settings that change while the operator runs, and files that change nothing.

mod commands;
mod rejected;
mod reload;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::{ApiError, Live};
use evenkeel_testkit::eventually;
use evenkeel_tests::listener::{listening, samples};
use evenkeel_tests::logs::Logs;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition};
use kube::ResourceExt;
use serde::Deserialize;
use serde_json::json;
use tracing::subscriber::DefaultGuard;

/// Longer than the time between two looks at the file, and the second in which it must not change.
const LOOK: Duration = Duration::from_secs(12);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Settings {
    greeting: String,
    retries: u8,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum GreetCondition {
    /// The widget was greeted.
    #[condition(positive)]
    Greeted,
}

/// Greets as the settings say.
#[sub_reconciler(sets(on::Greeted))]
async fn greet(
    widget: &Widget,
    settings: &Live<Settings>,
    lab: &Arc<Lab>,
    _cx: &mut Cx<'_, greet>,
) -> Result<(), ApiError> {
    lab.note(&format!("{} {}", settings.now().greeting, widget.name_any()));
    Ok(())
}

#[reconciler(conditions = GreetCondition)]
async fn greeter(widget: &Widget, settings: &Live<Settings>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    greet(widget, settings, lab, cx).await?;
    Ok(())
}

/// Does not read the settings.
#[sub_reconciler(sets(on::Greeted))]
async fn ignore(widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, ignore>) -> Result<(), ApiError> {
    lab.note(&widget.name_any());
    Ok(())
}

#[reconciler(conditions = GreetCondition)]
async fn ignorer(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    ignore(widget, lab, cx).await?;
    Ok(())
}

/// A file in a folder of its own.
struct File {
    folder: tempfile::TempDir,
}

impl File {
    fn with(text: &str) -> Self {
        let file = Self { folder: tempfile::tempdir().unwrap() };
        file.write(text);
        file
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("config.yaml")
    }

    fn write(&self, text: &str) {
        std::fs::write(self.path(), text).unwrap();
    }

    fn line(&self, flags: &[&str]) -> Vec<String> {
        let path = self.path().display().to_string();
        ["shop", "--config", &path].iter().chain(flags).map(ToString::to_string).collect()
    }
}

/// An operator with a file, whose log is captured.
struct Case {
    world: World,
    lab: Arc<Lab>,
    file: File,
    running: Running,
    address: SocketAddr,
    logs: Logs,
    _capture: DefaultGuard,
}

impl Case {
    async fn start(text: &str, widgets: &[&str]) -> Self {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&definition()).await;
        for name in widgets {
            world.create::<Widget>(a_widget(name, json!({}))).await;
        }
        let (logs, capture) = Logs::capture();
        let (lab, file) = (Lab::at("a"), File::with(text));
        let (running, address) = run(&world, &lab, &file).await;
        Self { world, lab, file, running, address, logs, _capture: capture }
    }

    async fn metric(&self, name: &str) -> f64 {
        samples(self.address).await[name]
    }

    /// The log lines about a rejected file.
    fn rejections(&self) -> Vec<String> {
        self.logs.with(&["the configuration file is rejected"])
    }

    async fn stop(self) {
        self.running.stop().await.unwrap();
        self.world.clean().await;
    }
}

async fn run(world: &World, lab: &Arc<Lab>, file: &File) -> (Running, SocketAddr) {
    let settings = Live::<Settings>::default();
    let operator = world.prepare::<greeter>((settings.clone(), lab.clone())).settings(&settings);
    let (operator, address) = listening(operator.configured_by(file.line(&[])).await.unwrap());
    let running = Running::start(operator);
    eventually(SOON, || async { (samples(address).await.contains_key("evenkeel_config_rejected")).then_some(()) })
        .await;
    (running, address)
}

async fn looked() {
    tokio::time::sleep(LOOK).await;
}
