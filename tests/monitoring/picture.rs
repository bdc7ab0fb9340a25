//! The picture of the guide: the panels of a dashboard, from its JSON, with the values of a run in virtual time.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use evenkeel_tests::listener::listening;
use evenkeel_tests::test_env::Running;
use jiff::Timestamp;
use serde_json::Value;

use crate::drawing::{Line, draw};
use crate::expressions::filled;
use crate::kinds::{a_task, cluster};
use crate::prometheus::Prometheus;
use crate::promtool::{JOB, is_installed, promtool};
use crate::recording::{INTERVAL, Recording, labelled};
use crate::replicas::replica;

const MINUTES: u32 = 60;

/// The dashboard of an operator, and its scrapes: some objects fail from the beginning, and others after half of the time.
async fn run() -> (Value, Recording) {
    let cluster = cluster().await;
    let operator = replica(&cluster);
    let dashboard = operator.dashboard();
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    let mut recording = Recording::of(address, 1).await;
    for (at, end) in ["slow", "slow", "slow", "waiting", "broken"].iter().cycle().take(20).enumerate() {
        cluster.seed(&a_task(&format!("early-{at}"), end)).await.unwrap();
    }
    recording.extend(address, MINUTES / 2).await;
    for (at, end) in ["invalid", "panic", "broken", "done"].iter().cycle().take(12).enumerate() {
        cluster.seed(&a_task(&format!("late-{at}"), end)).await.unwrap();
    }
    recording.extend(address, MINUTES / 2).await;
    running.crash().await;
    (dashboard, recording)
}

/// Writes the scrapes as blocks of Prometheus. Returns the times of the first and the last one.
fn store(folder: &Path, recording: &Recording) -> (i64, i64) {
    let step = i64::try_from(INTERVAL.as_secs()).unwrap();
    let end = Timestamp::now().as_second() - 60;
    let begin = end - step * i64::try_from(recording.0.len()).unwrap();
    let mut names: Vec<&String> = recording.0.iter().flatten().flat_map(|scrape| scrape.keys()).collect();
    names.sort();
    names.dedup();
    let mut text = String::new();
    for name in names {
        for (at, scrape) in (0..).zip(&recording.0) {
            if let Some(value) = scrape.as_ref().and_then(|scrape| scrape.get(name)) {
                writeln!(text, "{} {value} {}", labelled(name, JOB, "10.0.0.1:8080"), begin + step * at).unwrap();
            }
        }
    }
    fs::write(folder.join("scrapes.txt"), text + "# EOF\n").unwrap();
    promtool(folder, &["tsdb", "create-blocks-from", "openmetrics", "scrapes.txt", "data"]);
    fs::write(folder.join("prometheus.yaml"), "global: {}\n").unwrap();
    (begin, end)
}

/// The lines of a panel, with the names that Grafana would give them.
async fn lines(prometheus: &Prometheus, panel: &Value, (begin, end): (i64, i64)) -> Vec<Line> {
    let mut lines = Vec::new();
    for target in panel["targets"].as_array().into_iter().flatten() {
        let expression = filled(target["expr"].as_str().unwrap());
        let (begin, end) = (begin.to_string(), end.to_string());
        let range = [("query", &*expression), ("start", &begin), ("end", &end), ("step", "60")];
        let data = prometheus.data("query_range", &range).await.unwrap_or_else(|| panic!("{expression}"));
        lines.extend(data["result"].as_array().unwrap().iter().map(|series| line(series, &target["legendFormat"])));
    }
    lines
}

fn line(series: &Value, legend: &Value) -> Line {
    let labels = series["metric"].as_object().unwrap().iter();
    let name = labels.fold(legend.as_str().unwrap().to_owned(), |text, (label, value)| {
        text.replace(&format!("{{{{{label}}}}}"), value.as_str().unwrap())
    });
    let point = |pair: &Value| (pair[0].as_f64().unwrap(), pair[1].as_str().unwrap().parse().unwrap());
    // Without a pass, the share of errors is no number.
    let points =
        series["values"].as_array().unwrap().iter().map(point).filter(|(_, value): &(f64, f64)| value.is_finite());
    Line { name, points: points.collect() }
}

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/guide/monitoring.svg")
}

/// The texts of a picture but for the numbers at its axes: titles of panels and names of lines.
fn texts(picture: &str) -> Vec<&str> {
    let texts = picture.split("<text class='name'").skip(1);
    texts.map(|text| text.split_once('>').unwrap().1.split_once('<').unwrap().0).collect()
}

/// `GENERATED=overwrite` draws it anew. The values differ from run to run, so the panels and the names of their lines are compared.
#[tokio::test(start_paused = true)]
async fn the_picture_of_the_guide_shows_the_panels_of_a_dashboard() {
    let (dashboard, recording) = run().await;
    for panel in dashboard["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().unwrap();
        let is_shown = std::env::var_os("GENERATED").is_some()
            || texts(&fs::read_to_string(committed()).unwrap()).contains(&title);
        assert!(is_shown, "the picture has no panel {title}; draw it anew with GENERATED=overwrite");
    }
    if !is_installed("prometheus") {
        return;
    }
    // Prometheus runs in real time.
    tokio::time::resume();
    let folder = tempfile::tempdir().unwrap();
    let range = store(folder.path(), &recording);
    let prometheus = Prometheus::start(folder.path()).await;
    let mut panels = Vec::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        panels.push((panel.clone(), lines(&prometheus, panel, range).await));
    }
    let picture = draw(&panels, range);
    if std::env::var_os("GENERATED").is_some_and(|word| word == "overwrite") {
        fs::write(committed(), &picture).unwrap();
    }
    let drawn = fs::read_to_string(committed()).unwrap();
    assert_eq!(texts(&drawn), texts(&picture), "draw the picture anew with GENERATED=overwrite");
}
