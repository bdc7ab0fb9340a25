//! Whether one rule of a role allows a request.

use serde_json::Value;

use super::attributes::Asked;

/// Whether the rule allows the request.
pub(super) fn allows(rule: &Value, asked: &Asked) -> bool {
    if !has(rule, "verbs", |verb| verb == "*" || verb == asked.verb) {
        return false;
    }
    if !asked.path.is_empty() {
        return has(rule, "nonResourceURLs", |url| is_path(url, &asked.path));
    }
    let combined = asked.combined();
    has(rule, "apiGroups", |group| group == "*" || group == asked.group)
        && has(rule, "resources", |resource| is_resource(resource, &combined, &asked.subresource))
        && is_name(rule, &asked.name)
}

fn has(rule: &Value, field: &str, fits: impl Fn(&str) -> bool) -> bool {
    rule[field].as_array().into_iter().flatten().filter_map(Value::as_str).any(fits)
}

/// Matches `*`, the resource with its subresource, or any resource with this subresource.
fn is_resource(rule: &str, combined: &str, subresource: &str) -> bool {
    rule == "*" || rule == combined || (!subresource.is_empty() && rule.strip_prefix("*/") == Some(subresource))
}

/// A rule without names matches all names.
fn is_name(rule: &Value, name: &str) -> bool {
    let names = rule["resourceNames"].as_array().map(Vec::as_slice).unwrap_or_default();
    names.is_empty() || names.iter().any(|known| known == name)
}

fn is_path(rule: &str, path: &str) -> bool {
    rule == "*" || rule == path || rule.strip_suffix('*').is_some_and(|start| path.starts_with(start))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(verb: &str, resource: &str, subresource: &str, name: &str) -> Asked {
        let [verb, resource, subresource, name] = [verb, resource, subresource, name].map(str::to_owned);
        Asked { verb, group: "apps".to_owned(), resource, subresource, name, ..Asked::default() }
    }

    #[test]
    fn a_rule_allows_what_it_names() {
        let rule = |resource: &str| json!({"verbs": ["get"], "apiGroups": ["apps"], "resources": [resource]});
        assert!(allows(&rule("deployments"), &asked("get", "deployments", "", "a")));
        assert!(!allows(&rule("deployments"), &asked("list", "deployments", "", "")));
        assert!(!allows(&rule("deployments"), &asked("get", "deployments", "scale", "a")));
        assert!(allows(&rule("deployments/scale"), &asked("get", "deployments", "scale", "a")));
        assert!(allows(&rule("*/scale"), &asked("get", "deployments", "scale", "a")));
        assert!(!allows(&rule("*/scale"), &asked("get", "deployments", "", "a")));
        assert!(allows(&rule("*"), &asked("get", "deployments", "status", "a")));
    }

    #[test]
    fn resource_names_restrict_a_rule() {
        let rule = json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "resourceNames": ["a"]});
        assert!(allows(&rule, &asked("get", "deployments", "", "a")));
        assert!(!allows(&rule, &asked("get", "deployments", "", "b")));
        assert!(!allows(&rule, &asked("create", "deployments", "", "")));
    }

    #[test]
    fn paths_match_exactly_or_by_prefix() {
        let rule = json!({"verbs": ["get"], "nonResourceURLs": ["/version", "/healthz/*"]});
        let path = |path: &str| Asked { verb: "get".to_owned(), path: path.to_owned(), ..Asked::default() };
        assert!(allows(&rule, &path("/version")));
        assert!(allows(&rule, &path("/healthz/ping")));
        assert!(!allows(&rule, &path("/version/x")));
        assert!(!allows(&rule, &path("/metrics")));
    }
}
