//! The message about a call for a dependent that failed: the object, the field and the cause, but no values of the manifest.

use kube::core::Status;

use crate::api::ApiError;
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::response::immutable_field;

/// The most fields that a message names.
const FIELDS: usize = 3;

/// The immutable field that the API server refused to change.
pub(super) fn immutable(error: &ApiError) -> Option<String> {
    immutable_field(status(error)?).map(ToOwned::to_owned)
}

/// The error with a message that names the object. The message of the API server may quote values, also those of a Secret.
pub(super) fn described(id: &ObjectId, error: ApiError) -> ApiError {
    let causes = match &error {
        ApiError::Invalid(_) => status(&error).and_then(causes),
        _ => None,
    };
    let named = |text: &str| if text.contains(&id.to_string()) { text.to_owned() } else { format!("{id}: {text}") };
    let text = causes.map_or_else(|| named(error.detail()), |causes| format!("{id}: {causes}"));
    match error {
        // It names the object and its owner.
        foreign @ ApiError::Foreign(_) => foreign,
        error => error.with_message(text),
    }
}

/// The response of the API server.
#[cfg(feature = "operator")]
pub(super) fn status(error: &ApiError) -> Option<&Status> {
    match error.detail().source()?.downcast_ref()? {
        kube::Error::Api(status) => Some(status),
        _ => None,
    }
}

/// There is no client, so there is no response either.
#[cfg(not(feature = "operator"))]
pub(super) const fn status(_: &ApiError) -> Option<&Status> {
    None
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
