//! The places of a Deployment that the values of a chart fill.

use serde_json::{Map, Value, json};

/// How a value is put into the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A text, in quotes.
    Text,
    /// A number.
    Number,
    /// Any value; the field is left out if it is empty.
    Field,
    /// Further items at the end of a list.
    Items,
    /// Further entries of a map.
    Entries,
}

/// A place of the Deployment.
pub(super) struct Hole {
    /// The name of the value.
    pub(super) name: &'static str,
    /// The JSON pointer of the field.
    place: &'static str,
    pub(super) form: Form,
    /// The comment above the value.
    pub(super) help: &'static str,
}

/// All holes, in the order of the file of values.
pub(super) const HOLES: [Hole; 12] = [
    hole("image", "/spec/template/spec/containers/0/image", Form::Text, "The image, with a tag or a digest."),
    hole(
        "imagePullSecrets",
        "/spec/template/spec/imagePullSecrets",
        Form::Field,
        "Secrets for the registry: `- name: registry`.",
    ),
    hole(
        "replicas",
        "/spec/replicas",
        Form::Number,
        "The number of pods. One of them works at a time, the others are warm.",
    ),
    hole(
        "resources",
        "/spec/template/spec/containers/0/resources",
        Form::Field,
        "Processor time and memory. A limit of processor time can cost the operator its lease.",
    ),
    hole(
        "nodeSelector",
        "/spec/template/spec/nodeSelector",
        Form::Field,
        "Labels of the nodes on which the pods may run.",
    ),
    hole("tolerations", "/spec/template/spec/tolerations", Form::Field, "Taints that the pods tolerate."),
    hole("affinity", "/spec/template/spec/affinity", Form::Field, "Rules about nodes and other pods."),
    hole("priorityClassName", "/spec/template/spec/priorityClassName", Form::Field, "The PriorityClass of the pods."),
    hole(
        "extraArgs",
        "/spec/template/spec/containers/0/args",
        Form::Items,
        "Further arguments of the operator, such as `--concurrency=4`.",
    ),
    hole("extraEnv", "/spec/template/spec/containers/0/env", Form::Items, "Further environment variables."),
    hole("podLabels", "/spec/template/metadata/labels", Form::Entries, "Further labels of the pods."),
    hole("podAnnotations", "/spec/template/metadata/annotations", Form::Entries, "Further annotations of the pods."),
];

const fn hole(name: &'static str, place: &'static str, form: Form, help: &'static str) -> Hole {
    Hole { name, place, form, help }
}

/// The text that stands for a hole until the YAML is written.
pub(super) fn mark(name: &str) -> String {
    format!("HOLE-{name}-HOLE")
}

impl Hole {
    /// Puts the mark into the Deployment. Returns the value that was there, as the default.
    pub(super) fn open(&self, deployment: &mut Value) -> Value {
        let mark = mark(self.name);
        match self.form {
            Form::Text | Form::Number | Form::Field => self.replace(deployment, mark.into()),
            Form::Items => {
                if let Some(Value::Array(items)) = deployment.pointer_mut(self.place) {
                    items.push(mark.into());
                }
                json!([])
            }
            Form::Entries => {
                if let Some(Value::Object(entries)) = deployment.pointer_mut(self.place) {
                    entries.insert(mark, json!(""));
                }
                json!({})
            }
        }
    }

    fn replace(&self, deployment: &mut Value, mark: Value) -> Value {
        let Some((parent, field)) = self.place.rsplit_once('/') else { return Value::Null };
        let Some(Value::Object(parent)) = deployment.pointer_mut(parent) else { return Value::Null };
        parent.insert(field.to_owned(), mark).unwrap_or_else(|| self.empty())
    }

    fn empty(&self) -> Value {
        match self.name {
            "imagePullSecrets" | "tolerations" => json!([]),
            "priorityClassName" => json!(""),
            _ => Value::Object(Map::new()),
        }
    }
}
