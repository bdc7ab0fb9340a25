//! Refused changes of immutable fields, which only a new object can have.

use kube::core::Status;

/// What the API server says of a field that cannot change.
const TEXTS: [&str; 4] = [
    "immutable",
    "may not change once set",
    "cannot change roleRef",
    "updates to statefulset spec for fields other than",
];

/// The immutable field that an update would change; `None`: the response has another cause.
///
/// A value may have any text in it, so only what follows the value counts. The field is empty if the whole object is refused.
#[must_use]
pub fn immutable_field(status: &Status) -> Option<&str> {
    let causes = status.details.as_ref().filter(|_| status.code == 422)?.causes.iter();
    let mut refused = causes.filter(|cause| ["FieldValueInvalid", "FieldValueForbidden"].contains(&&*cause.reason));
    let is_immutable = |message: &str| {
        // The message about a PersistentVolumeClaim ends with its spec, on further lines.
        let first = message.lines().next().unwrap_or_default();
        let text = first.rsplit_once(": ").map_or(first, |(_, text)| text);
        TEXTS.iter().any(|known| text.contains(known))
    };
    refused.find(|cause| is_immutable(&cause.message)).map(|cause| &*cause.field)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn found(code: u16, reason: &str, message: &str) -> Option<String> {
        let causes = json!([{ "reason": "FieldValueRequired", "message": "field is immutable", "field": "spec.other" },
            { "reason": reason, "message": message, "field": "spec.x" }]);
        status(code, &causes)
    }

    fn status(code: u16, causes: &Value) -> Option<String> {
        let status = json!({ "status": "Failure", "code": code, "message": "", "reason": "Invalid", "details": { "causes": causes } });
        immutable_field(&serde_json::from_value(status).unwrap()).map(ToOwned::to_owned)
    }

    #[test]
    fn the_texts_of_kubernetes_are_known() {
        for (reason, message) in [
            ("FieldValueInvalid", r#"Invalid value: v1.LabelSelector{MatchLabels:{"a": "b"}}: field is immutable"#),
            ("FieldValueForbidden", "Forbidden: field is immutable when `immutable` is set"),
            ("FieldValueInvalid", "Invalid value: []string(nil): may not change once set"),
            ("FieldValueInvalid", r#"Invalid value: rbac.RoleRef{Kind:"Role"}: cannot change roleRef"#),
            (
                "FieldValueForbidden",
                "Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden",
            ),
            (
                "FieldValueForbidden",
                "Forbidden: spec is immutable after creation except resources.requests\ncore.Spec{A: \"b\"}",
            ),
            ("FieldValueInvalid", r#"Invalid value: "b": the region is immutable"#),
        ] {
            assert_eq!(found(422, reason, message).as_deref(), Some("spec.x"), "{message}");
        }
    }

    #[test]
    fn other_refusals_are_not_immutable_fields() {
        assert_eq!(found(422, "FieldValueInvalid", r#"Invalid value: "immutable": must be a number"#), None);
        assert_eq!(found(403, "FieldValueInvalid", "field is immutable"), None);
        assert_eq!(found(422, "FieldValueDuplicate", "field is immutable"), None);
        assert_eq!(status(422, &json!([])), None);
    }
}
