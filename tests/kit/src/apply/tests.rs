//! The behaviour of server-side apply. The expected values were transcribed from recordings of an API server.

#![allow(clippy::needless_pass_by_value, reason = "json! reads best where it is used")]

use serde_json::{Value, json};

use super::actor::{Actor, Force, Lists, Rules};
use super::{ApplyError, apply, track_update};
use crate::schema::{Structural, fill, fixture};

/// An object under test, and a clock that advances with each write.
struct Bench {
    schema: Structural,
    live: Option<Value>,
    seconds: u32,
}

impl Bench {
    fn new(schema: Structural) -> Self {
        Self { schema, live: None, seconds: 0 }
    }

    fn with<T>(&mut self, manager: &str, subresource: Option<&str>, run: impl FnOnce(&Self, &Actor<'_>) -> T) -> T {
        self.seconds += 1;
        let time = format!("2026-01-01T00:00:{:02}Z", self.seconds);
        run(self, &Actor { manager, api_version: "ex.dev/v1", subresource, time: &time, rules: Rules::default() })
    }

    fn apply_to(&mut self, sub: Option<&str>, manager: &str, rest: &Value, force: Force) -> Result<(), ApplyError> {
        let mut config = json!({"apiVersion": "ex.dev/v1", "kind": "Widget", "metadata": {"name": "a"}});
        config.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let new = self.with(manager, sub, |bench, actor| {
            apply(bench.live.as_ref(), &config, Lists::Structural(&bench.schema), actor, force)
        });
        self.live = Some(new.map(|mut new| {
            fill(&mut new, &self.schema);
            new
        })?);
        Ok(())
    }

    #[track_caller]
    fn apply(&mut self, manager: &str, spec: Value) {
        self.apply_to(None, manager, &json!({"spec": spec}), Force::No).unwrap();
    }

    #[track_caller]
    fn refusal(&mut self, manager: &str, spec: Value) -> String {
        let before = self.live.clone();
        let refusal = self.apply_to(None, manager, &json!({"spec": spec}), Force::No).unwrap_err();
        assert_eq!(self.live, before, "a refusal changes nothing");
        refusal.to_string()
    }

    fn update(&mut self, manager: &str, sub: Option<&str>, change: impl FnOnce(&mut Value)) {
        let mut new = self.live.clone().unwrap_or_else(|| json!({"metadata": {"name": "a"}}));
        change(&mut new);
        self.with(manager, sub, |bench, actor| {
            track_update(bench.live.as_ref(), &mut new, Lists::Structural(&bench.schema), actor);
        });
        self.live = Some(new);
    }

    fn spec(&self) -> &Value {
        &self.live.as_ref().unwrap()["spec"]
    }

    /// `manager operation/subresource time` and the fields of each entry, in order.
    fn entries(&self) -> Vec<(String, Value)> {
        let list = self.live.as_ref().unwrap()["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        list.iter().map(|entry| (entry_name(entry), entry["fieldsV1"].clone())).collect()
    }

    fn names(&self) -> Vec<String> {
        self.entries().into_iter().map(|(name, _)| name).collect()
    }
}

fn entry_name(entry: &Value) -> String {
    let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let sub = entry.get("subresource").map(|sub| format!("/{}", sub.as_str().unwrap())).unwrap_or_default();
    let time = text("time").get(17..19).map_or_else(|| "never".to_owned(), |seconds| format!("at {seconds}"));
    format!("{} {}{sub} {time}", text("manager"), text("operation"))
}

fn entry(name: &str, fields: Value) -> (String, Value) {
    (name.to_owned(), fields)
}

#[test]
fn equal_values_are_shared_and_different_values_conflict() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1, "dict": {"a": "1"}}));
    assert_eq!(bench.spec(), &json!({"size": 1, "dict": {"a": "1"}, "replicas": 1}));
    let created = json!({"f:spec": {"f:dict": {"f:a": {}}, "f:size": {}}});
    assert_eq!(bench.entries(), [entry("m1 Apply at 01", created.clone())], "defaults have no owner");

    bench.apply("m2", json!({"size": 1, "color": "red"}));
    let second = json!({"f:spec": {"f:color": {}, "f:size": {}}});
    assert_eq!(bench.entries(), [entry("m1 Apply at 01", created), entry("m2 Apply at 02", second)]);

    let refusal = bench.refusal("m2", json!({"size": 2, "color": "red"}));
    assert_eq!(refusal, "Apply failed with 1 conflict: conflict with \"m1\": .spec.size");
    let refusal = bench.refusal("m2", json!({"size": 2, "color": "red", "dict": {"a": "9"}}));
    assert_eq!(refusal, "Apply failed with 2 conflicts: conflicts with \"m1\":\n- .spec.size\n- .spec.dict.a");
}

#[test]
fn the_former_owner_cannot_remove_a_forced_field() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1, "dict": {"a": "1"}}));
    bench.apply_to(None, "m2", &json!({"spec": {"size": 2}}), Force::Yes).unwrap();
    assert_eq!(bench.entries()[0], entry("m1 Apply at 01", json!({"f:spec": {"f:dict": {"f:a": {}}}})));
    bench.apply("m1", json!({"dict": {"a": "1"}}));
    assert_eq!(bench.names(), ["m1 Apply at 01", "m2 Apply at 02"], "nothing changed, nor did the time");
    bench.apply("m1", json!({"dict": {"b": "1"}}));
    assert_eq!(bench.spec(), &json!({"size": 2, "dict": {"b": "1"}, "replicas": 1}));
}

#[test]
fn an_empty_configuration_releases_all_fields() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"dict": {"b": "2"}, "nested": {"c": {"d": "x"}}, "replicas": 4}));
    bench.apply("m2", json!({"color": "red"}));
    bench.apply_to(None, "m1", &json!({}), Force::No).unwrap();
    assert_eq!(bench.spec(), &json!({"color": "red", "replicas": 1}), "empty parents go, defaults return");
    assert_eq!(bench.names(), ["m2 Apply at 02"]);
}

#[test]
fn releasing_the_last_label_keeps_the_rest_of_metadata() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply_to(None, "m1", &json!({"metadata": {"name": "a", "labels": {"l": "1"}}}), Force::No).unwrap();
    bench.update("u", None, |new| new["metadata"]["uid"] = json!("1"));
    bench.apply_to(None, "m1", &json!({"metadata": {}}), Force::No).unwrap();
    assert_eq!(bench.live.as_ref().unwrap()["metadata"], json!({"name": "a", "uid": "1"}));
}

#[test]
fn a_parent_with_only_released_fields_becomes_null() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1, "nested": {"a": "1"}, "dict": {"x": "1"}}));
    bench.apply("m1", json!({"size": 1, "nested": {}, "dict": {}}));
    assert_eq!(bench.spec(), &json!({"size": 1, "nested": null, "dict": null, "replicas": 1}));
}

#[test]
fn items_merge_by_key_including_defaulted_key_fields() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply(
        "m1",
        json!({"ports": [{"port": 80, "name": "http"}], "env": [{"name": "A", "value": "1"}], "tags": ["x", "y"]}),
    );
    assert_eq!(
        bench.entries()[0].1,
        json!({"f:spec": {
            "f:env": {"k:{\"name\":\"A\"}": {".": {}, "f:name": {}, "f:value": {}}},
            "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:name": {}, "f:port": {}}},
            "f:tags": {"v:\"x\"": {}, "v:\"y\"": {}}}})
    );
    bench.apply("m2", json!({"ports": [{"port": 80, "protocol": "UDP"}], "env": [{"name": "B"}], "tags": ["y", "z"]}));
    let ports = json!([{"port": 80, "protocol": "TCP", "name": "http"}, {"port": 80, "protocol": "UDP"}]);
    assert_eq!(bench.spec()["ports"], ports);
    assert_eq!(bench.spec()["tags"], json!(["x", "y", "z"]));
    let refusal = bench.refusal("m2", json!({"env": [{"name": "A", "value": "9"}]}));
    assert_eq!(refusal, "Apply failed with 1 conflict: conflict with \"m1\": .spec.env[name=\"A\"].value");
}

#[test]
fn items_have_the_order_of_the_configuration() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"env": [{"name": "A", "value": "1"}], "tags": ["x", "y"]}));
    bench.apply("m1", json!({"env": [{"name": "C"}, {"name": "A", "value": "1"}], "tags": ["w", "y"]}));
    assert_eq!(bench.spec()["env"], json!([{"name": "C"}, {"name": "A", "value": "1"}]));
    assert_eq!(bench.spec()["tags"], json!(["w", "y"]));
    bench.apply("m1", json!({"env": [{"name": "A", "value": "1"}, {"name": "C"}], "tags": ["y", "w"]}));
    assert_eq!(bench.spec()["tags"], json!(["y", "w"]));
    bench.apply("m2", json!({"size": 1}));
    bench.apply("m1", json!({"env": [], "tags": []}));
    assert_eq!(bench.spec(), &json!({"size": 1, "replicas": 1}), "empty lists leave no trace");
}

#[test]
fn undeclared_members_are_owned_themselves() {
    let mut bench = Bench::new(fixture::free());
    bench.apply("m1", json!({"m": {"a": 1, "b": 2}, "l": [{"name": "x"}], "s": "1"}));
    let fields = json!({"f:spec": {".": {}, "f:l": {}, "f:m": {".": {}, "f:a": {}, "f:b": {}}, "f:s": {}}});
    assert_eq!(bench.entries()[0].1, fields);
    bench.apply("m2", json!({"m": {"c": 1}, "s": "1"}));
    assert!(bench.refusal("m2", json!({"l": [{"name": "y"}]})).ends_with("\"m1\": .spec.l"), "lists are atomic");
    bench.apply("m1", json!({"m": {"a": 1}}));
    assert_eq!(bench.spec(), &json!({"m": {"a": 1, "c": 1}, "s": "1"}));
    assert!(bench.refusal("m1", json!({"m": "scalar"})).ends_with("\"m2\": .spec.m"));
}

#[test]
fn an_update_takes_ownership_of_changed_fields() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1, "dict": {"a": "1", "b": "1"}}));
    bench.update("u1", None, |new| new["spec"]["size"] = json!(2));
    bench.update("u2", None, |new| new["spec"]["size"] = json!(2));
    let left = entry("m1 Apply at 01", json!({"f:spec": {"f:dict": {"f:a": {}, "f:b": {}}}}));
    assert_eq!(bench.entries(), [left, entry("u1 Update at 02", json!({"f:spec": {"f:size": {}}}))]);
    let refusal = bench.refusal("m1", json!({"size": 1, "dict": {"a": "1", "b": "1"}}));
    assert_eq!(refusal, "Apply failed with 1 conflict: conflict with \"u1\" using ex.dev/v1: .spec.size");
    bench.update("u3", None, |new| new["spec"]["dict"] = json!({"b": "1", "c": "3"}));
    bench.apply("m1", json!({"size": 2, "dict": {"a": "1", "b": "1"}}));
    assert_eq!(bench.spec()["dict"], json!({"a": "1", "b": "1", "c": "3"}), "what an update removed returns");
}

#[test]
fn an_update_owns_new_collections_themselves() {
    let mut bench = Bench::new(fixture::widget());
    bench.update("u", None, |new| {
        new["metadata"]["labels"] = json!({"k": "v"});
        new["metadata"]["finalizers"] = json!(["ex.dev/f"]);
        new["metadata"]["uid"] = json!("1");
        new["spec"] = json!({"env": [{"name": "U"}], "tags": ["u"], "atom": {"a": "1"}});
    });
    let fields = json!({
        "f:metadata": {"f:finalizers": {".": {}, "v:\"ex.dev/f\"": {}}, "f:labels": {".": {}, "f:k": {}}},
        "f:spec": {".": {}, "f:atom": {}, "f:env": {".": {}, "k:{\"name\":\"U\"}": {".": {}, "f:name": {}}},
            "f:tags": {".": {}, "v:\"u\"": {}}}});
    assert_eq!(bench.entries(), [entry("u Update at 01", fields)]);
}

#[test]
fn only_one_empty_entry_clears_managed_fields() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1}));
    let before = bench.live.clone();
    for harmless in [json!([]), json!(null), json!([{"manager": "x", "operation": "Bogus"}]), json!("nonsense")] {
        bench.update("u", None, |new| new["metadata"]["managedFields"] = harmless);
        assert_eq!(bench.live, before);
    }
    bench.update("u", None, |new| new["metadata"]["managedFields"] = json!([{}]));
    assert_eq!(bench.names(), Vec::<String>::new());
    let refusal = bench.refusal("m1", json!({"size": 9}));
    assert_eq!(
        refusal,
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using ex.dev/v1: .spec.size"
    );
    bench.update("u", None, |new| new["spec"]["size"] = json!(3));
    assert_eq!(bench.names(), Vec::<String>::new(), "who tracks nothing goes on tracking nothing");
}

#[test]
fn entries_in_a_request_replace_the_stored_ones() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1, "color": "red"}));
    let fields = json!({"f:spec": {"f:size": {}}});
    let sent = json!([{"manager": "mig", "operation": "Apply", "apiVersion": "ex.dev/v1",
        "time": "2024-01-01T00:00:07Z", "fieldsType": "FieldsV1", "fieldsV1": fields}]);
    bench.update("u", None, |new| new["metadata"]["managedFields"] = sent.clone());
    assert_eq!(bench.entries(), [entry("mig Apply at 07", fields)]);
    bench.apply_to(None, "mig", &json!({}), Force::No).unwrap();
    assert_eq!(bench.spec(), &json!(null), "a declared parent goes with the last owned child, unowned ones and all");
    let before = bench.live.clone();
    bench.update("u", Some("status"), |new| new["metadata"]["managedFields"] = sent);
    assert_eq!(bench.live, before, "a subresource cannot set them");
}

#[test]
fn the_eleventh_update_entry_merges_the_oldest_two() {
    let mut bench = Bench::new(fixture::free());
    bench.apply("m", json!({"x": 1}));
    for number in 0..12 {
        bench.update(&format!("u{number:02}"), None, |new| new[format!("f{number}")] = json!(number));
    }
    let entries = bench.entries();
    assert_eq!(entries.len(), 11);
    assert_eq!(entries[1], entry("ancient-changes Update at 04", json!({"f:f0": {}, "f:f1": {}, "f:f2": {}})));
    assert_eq!(entries[2].0, "u03 Update at 05");
}

#[test]
fn a_new_owner_of_unchanged_values_has_no_time() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1}));
    bench.apply("m2", json!({"size": 1}));
    assert_eq!(bench.names(), ["m2 Apply never", "m1 Apply at 01"]);
    bench.apply("m2", json!({"size": 1, "color": "red"}));
    assert_eq!(bench.names(), ["m1 Apply at 01", "m2 Apply at 03"]);
}

#[test]
fn a_status_apply_owns_only_the_status() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1}));
    let status = json!({"metadata": {"labels": {"x": "y"}}, "spec": {"size": 9}, "status": {"phase": "P"}});
    bench.apply_to(Some("status"), "m1", &status, Force::No).unwrap();
    assert_eq!(bench.spec()["size"], 1);
    let entries = [
        entry("m1 Apply at 01", json!({"f:spec": {"f:size": {}}})),
        entry("m1 Apply/status at 02", json!({"f:status": {"f:phase": {}}})),
    ];
    assert_eq!(bench.entries(), entries);
    let refusal = bench.apply_to(Some("status"), "m2", &json!({"status": {"phase": "Q"}}), Force::No).unwrap_err();
    assert!(refusal.to_string().ends_with("conflict with \"m1\" with subresource \"status\": .status.phase"));
}

#[test]
fn scale_takes_over_only_owned_replicas() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1}));
    bench.update("sc", Some("scale"), |new| new["spec"]["replicas"] = json!(3));
    assert_eq!(bench.names(), ["m1 Apply at 01"]);
    bench.apply("m1", json!({"size": 1, "replicas": 5}));
    bench.update("sc", Some("scale"), |new| new["spec"]["replicas"] = json!(7));
    assert_eq!(bench.entries()[1], entry("sc Update/scale never", json!({"f:spec": {"f:replicas": {}}})));
}

#[test]
fn ownership_inside_a_newly_atomic_map_covers_it() {
    let x = |kind: &str| {
        let properties = json!({"a": {"type": "string"}, "b": {"type": "string"}});
        let x = json!({"type": "object", "properties": properties, "x-kubernetes-map-type": kind});
        Structural::parse(&fixture::with_x(&x)).unwrap()
    };
    let mut bench = Bench::new(x("granular"));
    bench.apply("m1", json!({"x": {"a": "1"}}));
    bench.apply("m2", json!({"x": {"b": "2"}}));
    bench.schema = x("atomic");
    assert!(bench.refusal("m1", json!({"x": {"a": "1"}})).ends_with("conflict with \"m2\": .spec.x"));
    bench.apply_to(None, "m1", &json!({"spec": {"x": {"a": "1"}}}), Force::Yes).unwrap();
    assert_eq!(bench.entries(), [entry("m1 Apply at 04", json!({"f:spec": {"f:x": {}}}))]);
    bench.schema = x("granular");
    bench.apply("m3", json!({"x": {"a": "2"}}));
    bench.apply("m1", json!({"x": {"b": "9"}}));
    assert_eq!(bench.spec(), &json!({"x": {"a": "2", "b": "9"}}), "as the real server answers");
}

#[test]
fn a_configuration_that_violates_the_schema_is_rejected() {
    let mut bench = Bench::new(fixture::widget());
    bench.apply("m1", json!({"size": 1}));
    for (spec, text) in [
        (json!({"bogus": 1}), ".spec.bogus: field not declared in schema"),
        (json!({"size": "x"}), ".spec.size: expected numeric (int or float), got string"),
        (json!({"label": 5}), ".spec.label: expected string, got &value.valueUnstructured{Value:5}"),
        (json!({"dict": ["x"]}), ".spec.dict: expected map, got &{[x]}"),
        (json!({"atom": {"zz": 1}}), ".spec.atom.zz: field not declared in schema"),
        (json!({"plainList": [1]}), ".spec.plainList[0]: expected string, got &value.valueUnstructured{Value:1}"),
        (
            json!({"env": [{"name": "a", "zz": 1}], "tags": [null]}),
            "errors:\n  .spec.env[name=\"a\"].zz: field not declared in schema\n  .spec.tags: element 0: associative list \
             without keys has an element that's an explicit null",
        ),
        (json!({"tags": ["x", "x"]}), ".spec.tags: duplicate entries for key [=\"x\"]"),
        (json!({"env": [{"name": "x"}, {"name": "x"}]}), ".spec.env: duplicate entries for key [name=\"x\"]"),
        (
            json!({"env": [{"value": "x"}]}),
            ".spec.env: element 0: associative list with keys has an element that omits all key fields [\"name\"] \
             (and doesn't have default values for any key fields)",
        ),
    ] {
        let head = "failed to create typed patch object (/a; ex.dev/v1, Kind=Widget): ";
        assert_eq!(bench.refusal("m1", spec), format!("{head}{text}"));
    }
    bench.apply("m1", json!({"port": {"a": 1}}));
    assert_eq!(bench.spec()["port"], json!({"a": 1}), "left to validation");
    let body = json!({"metadata": {"name": "a", "managedFields": []}});
    let refusal = bench.apply_to(None, "m1", &body, Force::No).unwrap_err();
    assert_eq!(refusal, ApplyError::Invalid("metadata.managedFields must be nil".to_owned()));
}
