//! Whether the rules of a user cover the rules that the user grants.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The rules in `given` that `held` does not cover, one line per part, printed and sorted as by an API server.
pub(super) fn missing(held: &[Value], given: &[Value]) -> BTreeSet<String> {
    let parts = given.iter().flat_map(parts).filter(|part| !held.iter().any(|rule| covers(rule, part)));
    let mut compact: Vec<Value> = Vec::new();
    for part in parts {
        let of_same = |other: &&mut Value| {
            let fields = ["apiGroups", "resources", "resourceNames"];
            !part["resources"].is_null() && fields.iter().all(|field| other[*field] == part[*field])
        };
        match compact.iter_mut().find(of_same).and_then(|same| same["verbs"].as_array_mut()) {
            Some(verbs) => verbs.push(part["verbs"][0].clone()),
            None => compact.push(part),
        }
    }
    compact.iter().map(printed).collect()
}

/// Splits a rule into rules with one verb, one group, one resource and at most one name, or with one verb and one path.
fn parts(rule: &Value) -> Vec<Value> {
    let mut parts = Vec::new();
    let names: Vec<Option<&str>> = match texts(rule, "resourceNames") {
        names if names.is_empty() => vec![None],
        names => names.into_iter().map(Some).collect(),
    };
    let verbs = texts(rule, "verbs");
    for group in texts(rule, "apiGroups") {
        for resource in texts(rule, "resources") {
            for (verb, name) in verbs.iter().flat_map(|verb| names.iter().map(move |name| (verb, name))) {
                let mut part = json!({"verbs": [verb], "apiGroups": [group], "resources": [resource]});
                if let Some(name) = name {
                    part["resourceNames"] = json!([name]);
                }
                parts.push(part);
            }
        }
    }
    for path in texts(rule, "nonResourceURLs") {
        parts.extend(verbs.iter().map(|verb| json!({"verbs": [verb], "nonResourceURLs": [path]})));
    }
    parts
}

/// Whether a rule covers a part of another rule.
fn covers(held: &Value, part: &Value) -> bool {
    let has_all = |field: &str, covered: fn(&str, &str) -> bool| {
        texts(part, field).iter().all(|wanted| texts(held, field).iter().any(|one| covered(one, wanted)))
    };
    let names = texts(held, "resourceNames");
    let is_named = match texts(part, "resourceNames").first() {
        None => names.is_empty(),
        Some(name) => names.is_empty() || names.contains(name),
    };
    is_named
        && has_all("verbs", |held, wanted| held == "*" || held == wanted)
        && has_all("apiGroups", |held, wanted| held == "*" || held == wanted)
        && has_all("resources", is_resource)
        && has_all("nonResourceURLs", is_path)
}

fn is_resource(held: &str, wanted: &str) -> bool {
    let of_any = || wanted.split_once('/').is_some_and(|(_, sub)| held.strip_prefix("*/") == Some(sub));
    held == "*" || held == wanted || of_any()
}

fn is_path(held: &str, wanted: &str) -> bool {
    held == wanted || held.strip_suffix('*').is_some_and(|start| wanted.starts_with(start))
}

fn texts<'a>(rule: &'a Value, field: &str) -> Vec<&'a str> {
    rule[field].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A rule as printed in messages, such as `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`.
fn printed(rule: &Value) -> String {
    let fields = [
        ("APIGroups", "apiGroups"),
        ("Resources", "resources"),
        ("NonResourceURLs", "nonResourceURLs"),
        ("ResourceNames", "resourceNames"),
        ("Verbs", "verbs"),
    ];
    let fields = fields.map(|(name, field)| (name, texts(rule, field)));
    let printed = fields.iter().filter(|(_, texts)| !texts.is_empty());
    let printed: Vec<String> = printed.map(|(name, texts)| format!("{name}:{}", quoted(texts))).collect();
    format!("{{{}}}", printed.join(", "))
}

/// A list of strings as Go's `%q` prints it: `["a" "b"]`.
pub(super) fn quoted(texts: &[impl AsRef<str>]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| format!("{:?}", text.as_ref())).collect();
    format!("[{}]", texts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> Value {
        json!({"apiGroups": [group], "resources": resources, "verbs": verbs})
    }

    fn lacks(held: &[Value], given: Value) -> Vec<String> {
        missing(held, &[given]).into_iter().collect()
    }

    #[test]
    fn several_rules_together_cover_a_grant() {
        let held =
            [rule("", &["pods"], &["get"]), rule("", &["pods", "*/status"], &["list"]), rule("apps", &["*"], &["*"])];
        assert!(lacks(&held, rule("", &["pods"], &["get", "list"])).is_empty());
        assert!(lacks(&held, rule("apps", &["deployments/scale"], &["update"])).is_empty());
        assert!(lacks(&held, rule("", &["nodes/status"], &["list"])).is_empty());
        let lines = lacks(&held, rule("", &["pods", "secrets"], &["get", "watch"]));
        let secrets = r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get" "watch"]}"#;
        assert_eq!(lines, [r#"{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}"#, secrets]);
        assert_eq!(lacks(&held, rule("*", &["*"], &["*"])), [r#"{APIGroups:["*"], Resources:["*"], Verbs:["*"]}"#]);
    }

    #[test]
    fn resource_names_restrict_what_a_rule_covers() {
        let named = |names: &[&str]| {
            let mut rule = rule("", &["pods"], &["get"]);
            rule["resourceNames"] = json!(names);
            rule
        };
        let held = [named(&["a", "b"])];
        assert!(lacks(&held, named(&["b"])).is_empty());
        let line = r#"{APIGroups:[""], Resources:["pods"], ResourceNames:["c"], Verbs:["get"]}"#;
        assert_eq!(lacks(&held, named(&["a", "c"])), [line]);
        assert_eq!(lacks(&held, rule("", &["pods"], &["get"])).len(), 1);
        assert!(lacks(&[rule("", &["pods"], &["get"])], named(&["a"])).is_empty());
    }

    #[test]
    fn paths_are_covered_by_prefix() {
        let paths = |paths: &[&str]| json!({"nonResourceURLs": paths, "verbs": ["get"]});
        let held = [paths(&["/logs/*", "/version"])];
        assert!(lacks(&held, paths(&["/logs/a", "/logs/*", "/version"])).is_empty());
        assert_eq!(lacks(&held, paths(&["/x"])), [r#"{NonResourceURLs:["/x"], Verbs:["get"]}"#]);
    }
}
