//! The conversion of the rules: `size` in v1 is `length` in v2.

use serde_json::{Value, json};

/// Answers a review; `script` has fields that replace those of the converted object and of the response.
pub(crate) fn answer(review: &Value, script: &Value) -> Value {
    let request = &review["request"];
    let objects = request["objects"].as_array().into_iter().flatten();
    let converted: Vec<Value> = objects
        .map(|object| {
            let mut object = converted(object, &request["desiredAPIVersion"]);
            merge(&mut object, &script["object"]);
            object
        })
        .collect();
    let mut answer = json!({"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": {
        "uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}}});
    merge(&mut answer, &script["answer"]);
    answer
}

fn converted(object: &Value, version: &Value) -> Value {
    let mut object = object.clone();
    let is_new = version.as_str().is_some_and(|version| version.ends_with("/v2"));
    let (from, to) = if is_new { ("size", "length") } else { ("length", "size") };
    if let Some(value) = object["spec"].as_object_mut().and_then(|spec| spec.remove(from)) {
        object["spec"][to] = value;
    }
    object["apiVersion"] = version.clone();
    object
}

/// Merges objects; null removes a field.
fn merge(into: &mut Value, fields: &Value) {
    for (name, value) in fields.as_object().into_iter().flatten() {
        match value {
            Value::Null => drop(into.as_object_mut().and_then(|into| into.remove(name))),
            Value::Object(_) if into[name].is_object() => merge(&mut into[name], value),
            value => into[name] = value.clone(),
        }
    }
}
