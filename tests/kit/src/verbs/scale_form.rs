//! The Scale of an object: its number of replicas in the form of all scalable kinds.

use serde_json::{Map, Value, json};

use crate::api_error::{Failure, typed};
use crate::registry::{Scale, Selector};
use crate::request_context::Call;
use crate::schema::Cause;
use crate::selector::printed;

/// The Scale of an object.
pub(super) fn shown(object: &Value, scale: &Scale) -> Result<Value, Failure> {
    let number = |pointer: &str| object.pointer(pointer).and_then(Value::as_i64);
    let wanted = number(&scale.spec_replicas).ok_or_else(|| {
        Failure::internal(format!("the spec replicas field {:?} does not exist", dotted(&scale.spec_replicas)))
    })?;
    let kept = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let kept = kept.iter().filter_map(|field| Some(((*field).to_owned(), object["metadata"].get(field)?.clone())));
    let mut form = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": kept.collect::<Map<_, _>>(),
        "spec": {},
        "status": {"replicas": number(&scale.status_replicas).unwrap_or_default()},
    });
    if wanted != 0 {
        form["spec"]["replicas"] = json!(wanted);
    }
    let selector = scale.selector.as_ref().map(|selector| text(object, selector)).unwrap_or_default();
    if !selector.is_empty() {
        form["status"]["selector"] = json!(selector);
    }
    Ok(form)
}

fn text(object: &Value, selector: &Selector) -> String {
    match selector {
        Selector::Text(pointer) => object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned(),
        Selector::Object(pointer) => object.pointer(pointer).map(printed).unwrap_or_default(),
    }
}

/// The number of replicas in a changed Scale; zero if absent.
pub(super) fn wanted(call: &Call, scale: &Scale, form: &Value) -> Result<i64, Failure> {
    let asked = match &form["spec"]["replicas"] {
        Value::Null => 0,
        number => number.as_i64().ok_or_else(|| Failure::bad_request("spec.replicas of a Scale must be an integer"))?,
    };
    if asked >= 0 {
        return Ok(asked);
    }
    let cause = Cause::invalid(&dotted(&scale.spec_replicas), asked, "should be a non-negative integer");
    Err(Failure::invalid(typed(&call.kind, call.name()), &[cause]))
}

/// Sets the number at the pointer and creates missing parent objects.
pub(super) fn place(object: &mut Value, pointer: &str, number: i64) {
    let mut at = object;
    for name in pointer.split('/').skip(1) {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[name];
    }
    *at = json!(number);
}

fn dotted(pointer: &str) -> String {
    pointer.replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_without_spec_replicas_has_no_scale() {
        let scale = Scale {
            spec_replicas: "/spec/replicas".to_owned(),
            status_replicas: "/status/replicas".to_owned(),
            selector: None,
        };
        let refused = shown(&json!({"spec": {}}), &scale).unwrap_err();
        assert_eq!(refused.message, r#"the spec replicas field ".spec.replicas" does not exist"#);
    }
}
