//! A CEL validation rule as written in a CRD.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One entry of `x-kubernetes-validations`; the fields have the order in which a server prints them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rule {
    pub(crate) rule: String,
    pub(crate) message: String,
    pub(crate) message_expression: String,
    pub(crate) reason: Option<String>,
    pub(crate) field_path: String,
    pub(crate) optional_old_self: Option<bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Printed<'a> {
    rule: &'a str,
    message: &'a str,
    message_expression: &'a str,
    reason: Option<&'a str>,
    field_path: &'a str,
    optional_old_self: Option<bool>,
}

impl Rule {
    /// The rules of a schema node; empty if they can't be decoded, since the typed decoding of CRDs rejects such rules.
    pub(crate) fn all(node: &Value) -> Vec<Self> {
        serde_json::from_value(node.clone()).unwrap_or_default()
    }

    /// The rule as error messages print it.
    pub(crate) fn printed(&self) -> String {
        let printed = Printed {
            rule: &self.rule,
            message: &self.message,
            message_expression: &self.message_expression,
            reason: self.reason.as_deref(),
            field_path: &self.field_path,
            optional_old_self: self.optional_old_self,
        };
        let json = serde_json::to_string(&printed).unwrap_or_default();
        json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
    }

    /// The text that identifies the rule in errors: its message, or its expression if it has no message.
    pub(crate) fn name(&self) -> &str {
        let message = self.message.trim();
        if message.is_empty() { self.rule.trim() } else { message }
    }
}
