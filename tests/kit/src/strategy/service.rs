//! Defaults and validation of Services. `service_address.rs` allocates their addresses and ports.

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde_json::{Value, json};

use super::fields::restore;
use super::fields::{each, fill};
use crate::api_error::quoted;
use crate::names;
use crate::schema::Cause;

/// Sets the defaults of the spec of a Service.
pub(super) fn defaults(spec: &mut Value) {
    fill(spec, json!({"type": "ClusterIP", "sessionAffinity": "None"}));
    each(spec, "ports", |port| {
        fill(port, json!({"protocol": "TCP"}));
        if port["targetPort"].is_null() || port["targetPort"] == 0 || port["targetPort"] == "" {
            port["targetPort"] = port["port"].clone();
        }
    });
    match text(spec, "sessionAffinity") {
        "ClientIP" => {
            fill(spec, json!({"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}}));
        }
        _ => clear(spec, &["sessionAffinityConfig"]),
    }
    if is_reached_from_outside(spec) {
        fill(spec, json!({"externalTrafficPolicy": "Cluster"}));
    }
    if matches!(text(spec, "type"), "ClusterIP" | "NodePort" | "LoadBalancer") {
        fill(spec, json!({"internalTrafficPolicy": "Cluster"}));
    }
    if text(spec, "type") == "LoadBalancer" {
        fill(spec, json!({"allocateLoadBalancerNodePorts": true}));
    }
}

fn text<'a>(spec: &'a Value, field: &str) -> &'a str {
    spec[field].as_str().unwrap_or_default()
}

fn clear(spec: &mut Value, fields: &[&str]) {
    if let Some(spec) = spec.as_object_mut() {
        spec.retain(|name, _| !fields.contains(&name.as_str()));
    }
}

fn ports(spec: &Value) -> impl Iterator<Item = &Value> {
    spec["ports"].as_array().into_iter().flatten()
}

fn is_reached_from_outside(spec: &Value) -> bool {
    let by_address =
        text(spec, "type") == "ClusterIP" && spec["externalIPs"].as_array().is_some_and(|ips| !ips.is_empty());
    needs_port(spec) || by_address
}

/// Whether Services of this type have a cluster IP.
pub(crate) fn needs_address(spec: &Value) -> bool {
    text(spec, "type") != "ExternalName"
}

/// Whether Services of this type have node ports.
pub(crate) fn needs_port(spec: &Value) -> bool {
    matches!(text(spec, "type"), "NodePort" | "LoadBalancer")
}

/// Whether the Service needs a separate node port for health checks of load balancers.
pub(crate) fn needs_health_check(spec: &Value) -> bool {
    text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local"
}

/// Sets `clusterIPs` from `clusterIP`.
pub(super) fn fresh(object: &mut Value) {
    let spec = &mut object["spec"];
    if !text(spec, "clusterIP").is_empty() && spec["clusterIPs"].as_array().is_none_or(Vec::is_empty) {
        spec["clusterIPs"] = json!([spec["clusterIP"]]);
    }
}

/// Keeps unset addresses and ports of the old Service, and removes those that the new type does not need.
pub(super) fn changed(live: &Value, object: &mut Value) {
    let (old, new) = (&live["spec"], &mut object["spec"]);
    if needs_address(old) && needs_address(new) {
        keep_address(old, new);
    }
    if needs_port(old) && needs_port(new) {
        keep_ports(old, new);
    }
    if needs_health_check(old) && needs_health_check(new) && new["healthCheckNodePort"].as_i64().is_none() {
        restore(old, new, "healthCheckNodePort");
    }
    drop_needless(old, new);
}

fn keep_address(old: &Value, new: &mut Value) {
    if text(new, "clusterIP").is_empty() {
        restore(old, new, "clusterIP");
    }
    if new["clusterIP"] != old["clusterIP"] && new["clusterIPs"] == old["clusterIPs"] {
        new["clusterIPs"] = json!([new["clusterIP"]]);
    }
    if new["clusterIP"] == old["clusterIP"] && new["clusterIPs"].as_array().is_none_or(Vec::is_empty) {
        restore(old, new, "clusterIPs");
    }
    for field in ["ipFamilies", "ipFamilyPolicy"] {
        if new[field].is_null() {
            restore(old, new, field);
        }
    }
}

/// Keeps the node port of each port with the same number and protocol.
fn keep_ports(old: &Value, new: &mut Value) {
    let taken: BTreeSet<i64> = ports(new).filter_map(|port| port["nodePort"].as_i64()).collect();
    each(new, "ports", |port| {
        let same = |was: &&Value| was["port"] == port["port"] && was["protocol"] == port["protocol"];
        let was = ports(old).find(same).and_then(|was| was["nodePort"].as_i64());
        if let Some(was) = was.filter(|was| *was != 0 && !taken.contains(was))
            && port["nodePort"].as_i64().unwrap_or_default() == 0
        {
            port["nodePort"] = json!(was);
        }
    });
}

/// Removes fields that only the old type needed, if the update does not change them.
fn drop_needless(old: &Value, new: &mut Value) {
    if needs_address(old) && !needs_address(new) && new["clusterIP"] == old["clusterIP"] {
        clear(new, &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"]);
    }
    let node_ports = |spec: &Value| ports(spec).map(|port| port["nodePort"].clone()).collect::<Vec<_>>();
    if needs_port(old) && !needs_port(new) && node_ports(old) == node_ports(new) {
        each(new, "ports", |port| clear(port, &["nodePort"]));
    }
    if needs_health_check(old) && !needs_health_check(new) && new["healthCheckNodePort"] == old["healthCheckNodePort"] {
        clear(new, &["healthCheckNodePort"]);
    }
    let same = |field: &str, new: &Value| new[field] == old[field];
    if is_reached_from_outside(old) && !is_reached_from_outside(new) && same("externalTrafficPolicy", new) {
        clear(new, &["externalTrafficPolicy"]);
    }
    if text(old, "type") == "LoadBalancer" && text(new, "type") != "LoadBalancer" {
        for field in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
            if same(field, new) {
                clear(new, &[field]);
            }
        }
    }
}

/// The errors of a Service.
pub(super) fn causes(object: &Value, live: Option<&Value>) -> Vec<Cause> {
    let spec = &object["spec"];
    let mut causes = live.map(|live| moved(&live["spec"], spec)).unwrap_or_default();
    let headless = text(spec, "clusterIP") == "None";
    if ports(spec).next().is_none() && !headless && needs_address(spec) {
        causes.push(Cause::required("spec.ports", ""));
    }
    causes.extend(of_type(spec, headless));
    let mut named = BTreeSet::new();
    let several = ports(spec).count() > 1;
    for (at, port) in ports(spec).enumerate() {
        causes.extend(port_causes(port, several, &mut named, &format!("spec.ports[{at}]")));
    }
    causes.extend(selector_causes(&spec["selector"]));
    causes.extend(choice(spec, "sessionAffinity", &["ClientIP", "None"]));
    causes.extend(addresses(spec));
    causes.extend(choice(spec, "type", &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]));
    causes.extend(twice(spec));
    causes.extend(traffic(spec));
    causes
}

/// The cluster IP is immutable as long as the Service has one.
fn moved(old: &Value, new: &Value) -> Vec<Cause> {
    if !needs_address(old)
        || !needs_address(new)
        || text(old, "clusterIP").is_empty()
        || old["clusterIP"] == new["clusterIP"]
    {
        return Vec::new();
    }
    let why = if text(new, "clusterIP").is_empty() {
        "primary clusterIP can not be unset"
    } else {
        "may not change once set"
    };
    vec![Cause::invalid("spec.clusterIPs[0]", &new["clusterIPs"], why)]
}

fn of_type(spec: &Value, headless: bool) -> Vec<Cause> {
    let name = text(spec, "externalName").trim_end_matches('.');
    match text(spec, "type") {
        kind @ ("LoadBalancer" | "NodePort") if headless => {
            let why = format!("may not be set to 'None' for {kind} services");
            vec![Cause::invalid("spec.clusterIPs[0]", quoted("None"), why)]
        }
        "ExternalName" if !spec["clusterIP"].is_null() && spec["clusterIP"] != "" => {
            vec![Cause::forbidden("spec.clusterIPs", "may not be set for ExternalName services")]
        }
        "ExternalName" if name.is_empty() => vec![Cause::required("spec.externalName", "")],
        "ExternalName" => invalid("spec.externalName", &quoted(name), names::subdomain(name)),
        _ => Vec::new(),
    }
}

fn invalid(field: &str, value: &str, complaints: Vec<String>) -> Vec<Cause> {
    complaints.into_iter().map(|complaint| Cause::invalid(field, value, complaint)).collect()
}

fn port_causes<'a>(port: &'a Value, several: bool, named: &mut BTreeSet<&'a str>, field: &str) -> Vec<Cause> {
    let (mut causes, name) = (Vec::new(), text(port, "name"));
    let at = format!("{field}.name");
    if name.is_empty() && several {
        causes.push(Cause::required(&at, ""));
    } else if !name.is_empty() {
        causes.extend(invalid(&at, &quoted(name), names::label(name)));
        if !named.insert(name) {
            causes.push(Cause::duplicate(&at, quoted(name)));
        }
    }
    causes.extend(number(&port["port"], &format!("{field}.port")));
    let at = format!("{field}.protocol");
    if !matches!(text(port, "protocol"), "SCTP" | "TCP" | "UDP") {
        let supported = ["SCTP", "TCP", "UDP"].map(str::to_owned);
        causes.push(Cause::unsupported(&at, quoted(text(port, "protocol")), &supported));
    }
    let at = format!("{field}.targetPort");
    match &port["targetPort"] {
        Value::String(name) => causes.extend(invalid(&at, &quoted(name), names::port(name))),
        target => causes.extend(number(target, &at)),
    }
    causes
}

fn number(port: &Value, field: &str) -> Option<Cause> {
    let number = port.as_i64().unwrap_or_default();
    let cause = || Cause::invalid(field, number, "must be between 1 and 65535, inclusive");
    (!(1..=65535).contains(&number)).then(cause)
}

fn selector_causes(selector: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (key, value) in selector.as_object().into_iter().flatten() {
        causes.extend(invalid("spec.selector", &quoted(key), names::qualified(key)));
        let value = value.as_str().unwrap_or_default();
        causes.extend(invalid("spec.selector", &quoted(value), names::label_value(value)));
    }
    causes
}

fn choice(spec: &Value, field: &str, supported: &[&str]) -> Option<Cause> {
    let (value, at) = (text(spec, field), format!("spec.{field}"));
    let known: Vec<String> = supported.iter().map(|&one| one.to_owned()).collect();
    (!supported.contains(&value)).then(|| Cause::unsupported(&at, quoted(value), &known))
}

fn addresses(spec: &Value) -> Vec<Cause> {
    let (single, list) =
        (text(spec, "clusterIP"), spec["clusterIPs"].as_array().map(Vec::as_slice).unwrap_or_default());
    let wrong = |why: &str| vec![Cause::invalid("spec.clusterIPs", &spec["clusterIPs"], why)];
    let is_address = |text: &Value| text.as_str().is_some_and(|text| text.parse::<IpAddr>().is_ok());
    let complain = |field: &str, list: &[Value]| {
        let wrong = list.iter().enumerate().filter(|(_, address)| *address != "None" && !is_address(address));
        let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        wrong.map(|(at, address)| Cause::invalid(&format!("spec.{field}[{at}]"), address, why)).collect::<Vec<_>>()
    };
    let mut causes = match list {
        _ if !needs_address(spec) => Vec::new(),
        [_, ..] if single.is_empty() => wrong("must be empty when `clusterIP` is not specified"),
        [first, ..] if *first != single => wrong("first value must match `clusterIP`"),
        [first, _, ..] if *first == "None" => wrong("'None' must be the first and only value"),
        list => complain("clusterIPs", list),
    };
    causes.extend(complain("externalIPs", spec["externalIPs"].as_array().map(Vec::as_slice).unwrap_or_default()));
    causes
}

/// The errors for node ports that the type does not allow, and for duplicate ports.
fn twice(spec: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let (mut on_nodes, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for (at, port) in ports(spec).enumerate() {
        let node_port = port["nodePort"].as_i64().unwrap_or_default();
        let field = format!("spec.ports[{at}].nodePort");
        if node_port != 0 && text(spec, "type") == "ClusterIP" {
            causes.push(Cause::forbidden(&field, "may not be used when `type` is 'ClusterIP'"));
        } else if node_port != 0 && !on_nodes.insert((text(port, "protocol"), node_port)) {
            causes.push(Cause::duplicate(&field, node_port));
        }
    }
    for (at, port) in ports(spec).enumerate() {
        if !seen.insert((text(port, "protocol"), port["port"].as_i64())) {
            let key = json!({"port": port["port"], "protocol": port["protocol"]});
            causes.push(Cause::duplicate(&format!("spec.ports[{at}]"), key));
        }
    }
    causes
}

fn traffic(spec: &Value) -> Vec<Cause> {
    let (mut causes, policy) = (Vec::new(), text(spec, "externalTrafficPolicy"));
    if is_reached_from_outside(spec) {
        causes.extend(choice(spec, "externalTrafficPolicy", &["Cluster", "Local"]));
    } else if !policy.is_empty() {
        let why = "may only be set for externally-accessible services";
        causes.push(Cause::invalid("spec.externalTrafficPolicy", quoted(policy), why));
    }
    let health = spec["healthCheckNodePort"].as_i64().unwrap_or_default();
    if health != 0 && !needs_health_check(spec) {
        let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        causes.push(Cause::invalid("spec.healthCheckNodePort", health, why));
    }
    if !text(spec, "internalTrafficPolicy").is_empty() {
        causes.extend(choice(spec, "internalTrafficPolicy", &["Cluster", "Local"]));
    }
    causes
}
