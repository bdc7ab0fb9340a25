//! The commands `alerts` and `dashboard`, and the parts of `manifests` with their output.

use serde_json::{Value, json};

use crate::printed::{Example, documents, find};

/// The examples with the whole command line.
const WITH_COMMANDS: [Example; 2] = [Example::Hello, Example::App];

fn rules(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

fn names(rules: &Value) -> Vec<&str> {
    rules["groups"][0]["rules"].as_array().unwrap().iter().map(|rule| rule["alert"].as_str().unwrap()).collect()
}

#[test]
fn alerts_are_rules_of_prometheus_or_an_object() {
    let rules = rules(&Example::Hello.command("alerts", &[]));
    let object = documents(&Example::Hello.command("alerts", &["--output", "prometheus-rule"])).remove(0);
    assert_eq!((&object["kind"], &object["metadata"]["name"]), (&json!("PrometheusRule"), &json!("greeter")));
    assert_eq!(object["spec"]["groups"], rules["groups"]);
    assert_eq!(rules["groups"][0]["name"], "greeter");
}

#[test]
fn only_an_operator_with_replicas_or_webhooks_has_alerts_about_them() {
    let hello = rules(&Example::Hello.command("alerts", &[]));
    let elected = rules(&Example::Hello.command("alerts", &["--replicas"]));
    assert!(!names(&hello).iter().any(|name| name.contains("Leader") || name.contains("Certificate")), "{hello}");
    assert!(names(&elected).contains(&"GreeterNoLeader") && names(&elected).contains(&"GreeterTwoLeaders"));
    let app = rules(&Example::App.command("alerts", &[]));
    for name in ["AppCertificateSoon", "AppBundleRepairs", "AppReviewsFailing", "AppConversionsFailing"] {
        assert!(names(&app).contains(&name), "{app}");
    }
}

#[test]
fn another_job_is_that_of_each_rule() {
    let text = Example::App.command("alerts", &["--job", "team-a/app", "--replicas"]);
    for rule in rules(&text)["groups"][0]["rules"].as_array().unwrap() {
        let expression = rule["expr"].as_str().unwrap();
        assert_eq!(
            expression.matches("job=\"").count(),
            expression.matches("job=\"team-a/app\"").count(),
            "{expression}"
        );
        assert!(expression.contains("job=\"team-a/app\""), "{expression}");
    }
}

#[test]
fn each_alert_has_texts_and_a_section_of_the_page_of_docs() {
    for example in WITH_COMMANDS {
        let docs = example.command("docs", &[]);
        let rules = rules(&example.command("alerts", &["--replicas"]));
        for rule in rules["groups"][0]["rules"].as_array().unwrap() {
            let name = rule["alert"].as_str().unwrap();
            assert!(docs.contains(&format!("\n## {name}\n")), "{example:?} has no section {name}");
            let notes = &rule["annotations"];
            for text in ["summary", "description", "runbook_url"] {
                assert!(notes[text].as_str().is_some_and(|text| !text.is_empty()), "{name}: {text}");
            }
        }
    }
}

#[test]
fn each_url_leads_to_a_section_of_the_guide() {
    let guide = std::fs::read_to_string("../runtime/src/guide/monitoring_alerts.md").unwrap();
    let rules = rules(&Example::App.command("alerts", &["--replicas"]));
    for rule in rules["groups"][0]["rules"].as_array().unwrap() {
        let url = rule["annotations"]["runbook_url"].as_str().unwrap();
        let (page, section) = url.split_once('#').unwrap();
        assert_eq!(page, "https://docs.rs/evenkeel/latest/evenkeel/guide/monitoring/index.html");
        let heading =
            guide.lines().filter_map(|line| line.strip_prefix("## ")).find(|name| name.to_lowercase() == section);
        assert!(heading.is_some(), "{url}");
    }
}

/// The sections of the guide are those of the page of `docs`, without the name of an operator and its queries.
#[test]
fn the_guide_has_the_sections_of_the_page_of_docs() {
    let docs = Example::App.command("docs", &[]);
    let (_, sections) = docs.split_once("\n# Alerts\n").unwrap();
    let (_, sections) = sections.split_once("\n## ").unwrap();
    let section = |text: &str| {
        let (head, rest) = text.split_once("```promql\n").unwrap();
        let (_, runbook) = rest.split_once("\n```\n").unwrap();
        format!("## {}\n\n{}\n", head.trim().trim_start_matches("App"), runbook.trim())
    };
    let sections: Vec<String> = sections.split("\n## ").map(section).collect();
    evenkeel_testkit::assert_generated("../runtime/src/guide/monitoring_alerts.md", &sections.join("\n"));
}

#[test]
fn the_parts_of_manifests_have_the_same_content() {
    for example in WITH_COMMANDS {
        let objects =
            documents(&example.printed(&["--replicas", "2", "--namespace", "ops", "--only", "alerts,dashboard"]));
        let rule = find(&objects, "PrometheusRule", example.operator());
        assert_eq!(rule["metadata"]["namespace"], "ops");
        assert_eq!(rule["spec"]["groups"], rules(&example.command("alerts", &["--replicas"]))["groups"]);
        let map = find(&objects, "ConfigMap", "-dashboard");
        assert_eq!(map["metadata"]["labels"]["grafana_dashboard"], "1");
        let text = &map["data"][format!("{}.json", example.operator())];
        assert_eq!(text.as_str().unwrap(), example.command("dashboard", &["--replicas"]));
    }
}

#[test]
fn one_replica_has_no_alert_about_leaders() {
    let text = Example::Hello.printed(&["--only", "alerts,dashboard"]);
    assert!(!text.contains("leader_election_master_status"), "{text}");
}

#[test]
fn prometheus_scrapes_a_protected_listener_over_https_with_its_token() {
    let endpoint = |flags: &[&str]| {
        let objects = documents(&Example::App.printed(&[&["--only", "monitoring"], flags].concat()));
        find(&objects, "ServiceMonitor", "app")["spec"]["endpoints"][0].clone()
    };
    let plain = json!({ "port": "metrics", "path": "/metrics" });
    assert_eq!(endpoint(&[]), plain);
    let files = ["--listen-cert", "/tls/tls.crt", "--listen-key", "/tls/tls.key"];
    for flags in [&["--listen-tls"][..], &files] {
        let endpoint = endpoint(flags);
        assert_eq!((&endpoint["scheme"], &endpoint["port"]), (&json!("https"), &plain["port"]), "{flags:?}");
        assert_eq!(endpoint["tlsConfig"], json!({ "insecureSkipVerify": true }), "{flags:?}");
        assert!(endpoint["bearerTokenFile"].is_null(), "{flags:?}");
    }
    let endpoint = endpoint(&["--listen-tls", "--listen-auth"]);
    assert_eq!(endpoint["scheme"], "https");
    assert_eq!(endpoint["bearerTokenFile"], "/var/run/secrets/kubernetes.io/serviceaccount/token");
}
