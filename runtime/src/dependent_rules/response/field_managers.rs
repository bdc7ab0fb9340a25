//! Fields that were set by other field managers and become fields of the operator.

use serde_json::{Map, Value, json};

/// How the field managers of kubectl begin: `kubectl-edit`, `kubectl-client-side-apply`, ..
const KUBECTL: &str = "kubectl";

/// Whether this is a field manager of kubectl.
#[must_use]
pub fn is_kubectl(manager: &str) -> bool {
    manager.starts_with(KUBECTL)
}

/// The entries of `metadata.managedFields` after those of some other managers were merged into the one of this manager; `None`: there are none
/// of them.
///
/// Fields that they set and the manifest does not have are removed by the next apply, since the operator owns them then.
#[must_use]
pub fn taken_over(entries: &Value, manager: &str, is_taken: &dyn Fn(&str) -> bool) -> Option<Value> {
    let has_subresource = |entry: &Value| entry["subresource"].as_str().is_some_and(|name| !name.is_empty());
    let is_own =
        |entry: &Value| !has_subresource(entry) && entry["manager"] == manager && entry["operation"] == "Apply";
    let is_other =
        |entry: &Value| !has_subresource(entry) && !is_own(entry) && entry["manager"].as_str().is_some_and(is_taken);
    let (taken, mut kept): (Vec<Value>, Vec<Value>) = entries.as_array()?.iter().cloned().partition(is_other);
    let first = taken.first()?.clone();
    let at = kept.iter().position(is_own).unwrap_or_else(|| {
        let own = json!({ "fieldsV1": {}, "manager": manager, "operation": "Apply" });
        let mut own = own.as_object().cloned().unwrap_or_default();
        own.extend(["apiVersion", "fieldsType", "time"].map(|field| (field.to_owned(), first[field].clone())));
        kept.push(Value::Object(own));
        kept.len() - 1
    });
    for entry in &taken {
        merge(&mut kept[at]["fieldsV1"], &entry["fieldsV1"]);
    }
    Some(Value::Array(kept))
}

fn merge(fields: &mut Value, more: &Value) {
    let Value::Object(more) = more else { return };
    if !fields.is_object() {
        *fields = Value::Object(Map::new());
    }
    more.iter().for_each(|(name, below)| merge(&mut fields[name], below));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(manager: &str, operation: &str, fields: &Value) -> Value {
        json!({ "manager": manager, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1",
            "time": "2026-01-01T00:00:00Z", "fieldsV1": fields })
    }

    #[test]
    fn fields_of_others_become_those_of_the_operator() {
        let data = |name: &str| json!({ "f:data": { name: {} } });
        let others = [
            entry("kube-controller-manager", "Update", &data("f:c")),
            json!({ "manager": "kubectl-edit", "operation": "Update", "subresource": "status", "fieldsV1": data("f:s") }),
        ];
        let kubectl = [entry("kubectl-edit", "Update", &data("f:b")), entry("kubectl", "Apply", &data("f:d"))];
        let all = |own: Option<Value>| Value::Array(others.iter().cloned().chain(kubectl.clone()).chain(own).collect());
        let with = |names: &[&str]| json!({ "f:data": names.iter().map(|name| ((*name).to_owned(), json!({}))).collect::<Map<_, _>>() });
        let expected = |own: Value| Some(Value::Array(others.iter().cloned().chain([own]).collect()));
        let own = entry("shop/shop", "Apply", &data("f:a"));
        let merged = entry("shop/shop", "Apply", &with(&["f:a", "f:b", "f:d"]));
        assert_eq!(taken_over(&all(Some(own)), "shop/shop", &is_kubectl), expected(merged));
        let new = entry("shop/shop", "Apply", &with(&["f:b", "f:d"]));
        assert_eq!(taken_over(&all(None), "shop/shop", &is_kubectl), expected(new));
    }

    #[test]
    fn without_others_nothing_changes() {
        let entries = json!([entry("shop/shop", "Apply", &json!({})), entry("helm", "Update", &json!({}))]);
        assert_eq!(taken_over(&entries, "shop/shop", &is_kubectl), None);
        assert_eq!(taken_over(&Value::Null, "shop/shop", &is_kubectl), None);
    }
}
