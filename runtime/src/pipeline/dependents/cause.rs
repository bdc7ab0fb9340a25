//! The message about a call for a dependent that failed: the object, the field and the cause, but no values of the manifest.

use kube::core::Status;
use kube::core::response::StatusCause;

use super::error::DependentsError;
use crate::api::ApiError;
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::response::immutable_field;

/// The most fields that a message names.
const FIELDS: usize = 3;

/// The immutable field that the API server refused to change.
pub(super) fn immutable(error: &ApiError) -> Option<String> {
    immutable_field(error.status()?).map(ToOwned::to_owned)
}

/// The error with a message that names the object. The message of the API server may quote values, also those of a Secret.
pub(super) fn described(id: &ObjectId, error: ApiError) -> ApiError {
    let causes = match &error {
        ApiError::Invalid(_) => error.status().and_then(causes),
        _ => None,
    };
    let named = |text: &str| if text.contains(&id.to_string()) { text.to_owned() } else { format!("{id}: {text}") };
    let text = causes.map_or_else(|| named(error.detail()), |causes| format!("{id}: {causes}")) + cure(&error);
    match error {
        // It names the object and its owner.
        foreign @ ApiError::Foreign(_) => foreign,
        error => error.with_message(text),
    }
}

/// The error for an object that a limit of the cluster refuses. `None`: it has another cause.
pub(super) fn limited(id: &ObjectId, error: &ApiError) -> Option<DependentsError> {
    let Status { code, message, details, .. } = error.status()?;
    // The first one is that of etcd, the second one that of its client.
    let is_large = ["request is too large", "message larger than max"].iter().any(|text| message.contains(text));
    // Config maps and secrets may have 1 MiB.
    let is_whole = |cause: &StatusCause| cause.reason == "FieldValueTooLong" && ["[]", "data"].contains(&&*cause.field);
    let has_long_data = || details.as_ref().is_some_and(|details| details.causes.iter().any(is_whole));
    if *code == 413 || is_large || *code == 422 && has_long_data() {
        let text = format!("{id}: it is larger than the API server stores; make it smaller, or split it");
        return Some(DependentsError::ObjectTooLarge(text));
    }
    // What follows are names and counts.
    let at = message.find("exceeded quota").filter(|_| *code == 403)?;
    Some(DependentsError::QuotaExceeded(format!("{id}: {}", &message[at..])))
}

/// What helps against a refusal, if the API server does not say it.
fn cure(error: &ApiError) -> &'static str {
    match error {
        ApiError::Forbidden(detail) if detail.contains("RBAC permissions not currently held") => {
            "; grant the operator these rules itself, or write `rights(escalate)` in the `dependents(..)` of the step and apply what `rbac` prints"
        }
        _ => "",
    }
}

/// The refused fields, and why, without their values.
fn causes(status: &Status) -> Option<String> {
    let all = &status.details.as_ref()?.causes;
    let why = |reason: &str, message: &str| match reason {
        // The values come before the last colon.
        "FieldValueInvalid" | "FieldValueForbidden" => {
            let first = message.lines().next().unwrap_or_default();
            first.rsplit_once(": ").map(|(_, why)| why.to_owned())
        }
        _ => None,
    };
    let text = |reason: &str| {
        let word = reason.strip_prefix("FieldValue").unwrap_or(reason);
        format!("the value is refused ({word})")
    };
    let causes = all.iter().take(FIELDS).map(|cause| {
        let why = why(&cause.reason, &cause.message).unwrap_or_else(|| text(&cause.reason));
        format!("{}: {why}", cause.field)
    });
    let told = causes.collect::<Vec<_>>().join("; ");
    match all.len() {
        0 => None,
        count if count > FIELDS => Some(format!("{told}; and {} more", count - FIELDS)),
        _ => Some(told),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::ErrorDetail;

    fn error(causes: &serde_json::Value) -> ApiError {
        let status = json!({ "status": "Failure", "code": 422, "reason": "Invalid", "message": "the password is hunter2",
            "details": { "causes": causes } });
        let source = kube::Error::Api(Box::new(serde_json::from_value(status).unwrap()));
        ApiError::Invalid(ErrorDetail::caused_by("the password is hunter2", source))
    }

    fn id() -> ObjectId {
        ObjectId { group: String::new(), kind: "Secret".into(), namespace: Some("a".into()), name: "login".into() }
    }

    #[test]
    fn fault_27_a_message_names_fields_and_no_values() {
        let invalid =
            |field: &str, reason: &str, message: &str| json!({ "field": field, "reason": reason, "message": message });
        let causes = json!([
            invalid("data[x]", "FieldValueInvalid", r#"Invalid value: "a: hunter2": must be shorter"#),
            invalid("data[y]", "FieldValueDuplicate", r#"Duplicate value: "hunter2""#),
            invalid("type", "FieldValueRequired", "Required value"),
            invalid("data[z]", "FieldValueRequired", "Required value"),
        ]);
        let expected = "Secret a/login: data[x]: must be shorter; data[y]: the value is refused (Duplicate); \
                        type: the value is refused (Required); and 1 more";
        assert_eq!(described(&id(), error(&causes)).to_string(), expected);
    }

    #[test]
    fn limits_of_the_cluster_are_recognised() {
        let limited = |code: u16, message: &str| {
            let status = json!({ "status": "Failure", "code": code, "reason": "x", "message": message });
            let source = kube::Error::Api(Box::new(serde_json::from_value(status).unwrap()));
            limited(&id(), &ApiError::Failed(ErrorDetail::caused_by("x", source)))
        };
        let large = DependentsError::ObjectTooLarge(
            "Secret a/login: it is larger than the API server stores; make it smaller, or split it".into(),
        );
        for (code, message) in [
            (413, "Request entity too large: limit is 3145728"),
            (500, "etcdserver: request is too large"),
            (500, "rpc error: code = ResourceExhausted desc = trying to send message larger than max (3 vs. 2)"),
        ] {
            assert_eq!(limited(code, message), Some(large.clone()), "{message}");
        }
        let long = |field: &str| {
            super::limited(&id(), &error(&json!([{ "field": field, "reason": "FieldValueTooLong", "message": "x" }])))
        };
        assert_eq!((long("[]"), long("data")), (Some(large.clone()), Some(large)));
        assert_eq!(long("metadata.annotations"), None);
        let quota = r#"secrets "login" is forbidden: exceeded quota: few, requested: count/secrets=1, used: count/secrets=2, limited: count/secrets=2"#;
        let text = "Secret a/login: exceeded quota: few, requested: count/secrets=1, used: count/secrets=2, limited: count/secrets=2";
        assert_eq!(limited(403, quota), Some(DependentsError::QuotaExceeded(text.into())));
        assert_eq!((limited(403, "no"), limited(500, "exceeded quota")), (None, None));
    }

    #[test]
    fn a_role_with_more_rights_than_those_of_the_operator_has_a_cure() {
        let text = "attempting to grant RBAC permissions not currently held: {..}";
        let told = described(&id(), ApiError::Forbidden(text.into())).to_string();
        assert!(told.ends_with("and apply what `rbac` prints"), "{told}");
    }

    #[test]
    fn another_error_names_the_object_once() {
        let told = |text: &str| described(&id(), ApiError::Forbidden(text.into())).to_string();
        assert_eq!(told("no rights"), "Secret a/login: no rights");
        assert_eq!(told("Secret a/login is not yours"), "Secret a/login is not yours");
    }

    #[test]
    fn an_immutable_field_is_found_in_the_response() {
        let causes = json!([{ "field": "data", "reason": "FieldValueForbidden",
            "message": "Forbidden: field is immutable when `immutable` is set" }]);
        assert_eq!(immutable(&error(&causes)).as_deref(), Some("data"));
        assert_eq!(immutable(&ApiError::Invalid("field is immutable".into())), None);
    }
}
