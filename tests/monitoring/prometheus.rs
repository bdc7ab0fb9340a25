//! A real Prometheus: it scrapes a running operator, loads its rules, and answers the queries of its dashboard.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use evenkeel::Replicas;
use evenkeel_testkit::eventually;
use evenkeel_tests::listener::{ask_if_up, listening};
use evenkeel_tests::test_env::Running;
use serde_json::Value;

use crate::expressions::panels;
use crate::kinds::{a_task, cluster_with_versions};
use crate::promtool::{JOB, is_installed, promtool};
use crate::webhooks::serving;

/// It starts within seconds, unless the machine is busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running Prometheus, which ends with the value.
pub struct Prometheus {
    child: Child,
    address: SocketAddr,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Prometheus {
    /// Starts it on the files in this folder: `prometheus.yaml`, and the blocks in `data`.
    pub async fn start(folder: &Path) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let child = Command::new("prometheus")
            .args(["--config.file=prometheus.yaml", "--storage.tsdb.path=data", "--log.level=error"])
            .arg(format!("--web.listen-address={address}"))
            .current_dir(folder)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let prometheus = Self { child, address };
        eventually(PATIENCE, || async { prometheus.get("/-/ready").await.map(drop) }).await;
        prometheus
    }

    /// Requests a page; `None` if it does not answer 200. In HTTP/1.0, so that the body is not in chunks.
    async fn get(&self, path: &str) -> Option<String> {
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
        ask_if_up(self.address, request).await.filter(|answer| answer.status == 200).map(|answer| answer.body)
    }

    /// Requests a resource of the API with these parameters.
    pub async fn data(&self, resource: &str, parameters: &[(&str, &str)]) -> Option<Value> {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
        let body = self.get(&format!("/api/v1/{resource}?{query}")).await?;
        let answer: Value = serde_json::from_str(&body).unwrap();
        Some(answer["data"].clone())
    }
}

/// Whether Prometheus has evaluated all rules without an error, how many there are, and how many it cannot evaluate.
fn health(rules: &Value) -> Vec<&str> {
    let groups = rules["groups"].as_array().into_iter().flatten();
    groups.flat_map(|group| group["rules"].as_array().unwrap()).map(|rule| rule["health"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn prometheus_scrapes_the_operator_and_evaluates_its_rules() {
    if !is_installed("prometheus") {
        return;
    }
    let cluster = cluster_with_versions().await;
    let (operator, _) = serving(&cluster, |server| server);
    let operator = operator.replicas_with(Replicas { namespace: Some("default".to_owned()), ..Replicas::default() });
    let (alerts, dashboard) = (operator.alert_set(), operator.dashboard());
    let (operator, address) = listening(operator);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rules.yaml"), alerts.rule_file().unwrap()).unwrap();
    let config = format!(
        "global: {{ scrape_interval: 1s, evaluation_interval: 1s }}\nrule_files: [rules.yaml]\nscrape_configs:\n- job_name: {JOB}\n  \
         static_configs: [{{ targets: ['{address}'] }}]\n"
    );
    fs::write(folder.path().join("prometheus.yaml"), config).unwrap();
    promtool(folder.path(), &["check", "config", "prometheus.yaml"]);
    let running = Running::start(operator);
    cluster.seed(&a_task("a", "done")).await.unwrap();
    let prometheus = Prometheus::start(folder.path()).await;
    let works = || async {
        let rules = prometheus.data("rules", &[]).await?;
        let health = health(&rules);
        (health.len() == alerts.alerts.len() && health.iter().all(|one| *one == "ok")).then_some(())
    };
    eventually(PATIENCE, works).await;
    let passes = "sum(controller_runtime_reconcile_total{job=\"task-operator-metrics\"}) > 0";
    let has_passed = || async {
        let result = prometheus.data("query", &[("query", passes)]).await?;
        result["result"].as_array().is_some_and(|all| !all.is_empty()).then_some(())
    };
    eventually(PATIENCE, has_passed).await;
    for expression in panels(&dashboard) {
        let result = prometheus.data("query", &[("query", &expression)]).await;
        assert!(result.is_some(), "{expression}");
    }
    running.crash().await;
}

#[test]
fn promtool_accepts_the_rules_of_each_example() {
    if !is_installed("promtool") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/reference");
    let mut files = 0;
    for example in fs::read_dir(&folder).unwrap() {
        let rules = example.unwrap().path().join("alerts.yaml");
        if rules.exists() {
            let text = promtool(&folder, &["check", "rules", "--lint-fatal", &rules.display().to_string()]);
            assert!(text.contains("SUCCESS"), "{text}");
            files += 1;
        }
    }
    assert!(files > 5, "{files} examples have rules");
}
