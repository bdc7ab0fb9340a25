//! The write that admission reviews.

use serde_json::{Map, Value, json};

use crate::api_error::{About, resource};
use crate::registry::Kind;
use crate::request_context::Call;
use crate::state::User;

/// What a write does to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    Delete,
}

impl Operation {
    /// Returns the name in rules and reviews.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
        }
    }

    fn options(self) -> &'static str {
        match self {
            Operation::Create => "CreateOptions",
            Operation::Update => "UpdateOptions",
            Operation::Delete => "DeleteOptions",
        }
    }
}

/// A write, without its objects.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) operation: Operation,
    pub(crate) kind: &'a Kind,
    pub(crate) subresource: Option<&'a str>,
    /// The namespace of the object; for a Namespace its own name.
    pub(crate) namespace: String,
    /// The name, or the empty string before it is generated and for the objects of a collection.
    pub(crate) name: String,
    pub(crate) user: &'a User,
    pub(crate) is_dry_run: bool,
    /// The options of the request, as in a review.
    pub(crate) options: Value,
}

impl<'a> Request<'a> {
    /// The write of a request that creates or updates an object.
    pub(crate) fn of(call: &'a Call, operation: Operation) -> Self {
        let mut options = Map::new();
        let query = &call.query;
        let mut set = |name: &str, value: Value| drop(options.insert(name.to_owned(), value));
        if !query.field_manager.is_empty() {
            set("fieldManager", json!(query.field_manager));
        }
        if call.asked.contains("fieldValidation=") {
            set("fieldValidation", json!(query.field_validation));
        }
        if call.is_dry_run() {
            set("dryRun", json!(query.dry_run));
        }
        Request::new(&call.kind, operation, (call.target.space(), call.name()), &call.user, options)
            .subresource(call.target.subresource.as_deref())
    }

    /// A write of the object with this namespace and name, with the fields of its options.
    pub(crate) fn new(
        kind: &'a Kind,
        operation: Operation,
        (namespace, name): (&str, &str),
        user: &'a User,
        mut options: Map<String, Value>,
    ) -> Self {
        let is_dry_run = options.get("dryRun").and_then(Value::as_array).is_some_and(|values| !values.is_empty());
        options.insert("kind".to_owned(), json!(operation.options()));
        options.insert("apiVersion".to_owned(), json!("meta.k8s.io/v1"));
        let mut request = Request {
            operation,
            kind,
            subresource: None,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            user,
            is_dry_run,
            options: options.into(),
        };
        if request.is_namespace() {
            request.namespace.clone_from(&request.name);
        }
        request
    }

    /// Sets the subresource.
    pub(crate) fn subresource(self, subresource: Option<&'a str>) -> Self {
        Request { subresource, ..self }
    }

    /// Sets the name of the object, if the path has none.
    pub(crate) fn named(mut self, name: &str) -> Self {
        if self.name.is_empty() {
            name.clone_into(&mut self.name);
            if self.is_namespace() {
                name.clone_into(&mut self.namespace);
            }
        }
        self
    }

    /// Whether the object is a Namespace.
    pub(super) fn is_namespace(&self) -> bool {
        self.kind.group.is_empty() && self.kind.plural == "namespaces"
    }

    /// Whether no webhook may review objects of this kind: a broken webhook could not be repaired otherwise.
    pub(super) fn is_exempt(&self) -> bool {
        self.kind.group == "admissionregistration.k8s.io"
    }

    /// Identifies the object in the message of a refusal; a new object may have no name yet.
    pub(super) fn about<'b>(&'b self, new: Option<&'b Value>) -> About<'b> {
        let metadata = new.map_or(&Value::Null, |new| &new["metadata"]);
        let texts = [Some(self.name.as_str()), metadata["name"].as_str(), metadata["generateName"].as_str()];
        let name = texts.into_iter().flatten().find(|text| !text.is_empty());
        resource(self.kind, name.unwrap_or("Unknown"))
    }

    /// The resource with its subresource, as in rules.
    pub(super) fn resource(&self) -> (&str, &str) {
        (&self.kind.plural, self.subresource.unwrap_or_default())
    }
}
