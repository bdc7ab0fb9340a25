//! Adds rules to the schema of a CRD.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, ValidationRule,
};

use super::cel::{Dialect, Printer, Problem, RuleError, part, path};
use super::registered::{Form, Registered};

impl Registered {
    /// Adds the rule to the CRD of its kind. A rule of a policy changes nothing.
    ///
    /// # Errors
    /// The rule cannot be printed for the schema.
    pub fn add_to(&self, definition: &mut CustomResourceDefinition) -> Result<(), RuleError> {
        match self.declared.form {
            Form::Definition => self.add(definition).map_err(|problem| RuleError::new(self, problem)),
            Form::AdmissionPolicy => Ok(()),
        }
    }

    fn add(&self, definition: &mut CustomResourceDefinition) -> Result<(), Problem> {
        let root = part(definition, &self.kind.resource.version)?;
        let names = path(root, self.declared.at)?;
        let at = descend(root, &names);
        let rule = self.validation_rule(at)?;
        at.x_kubernetes_validations.get_or_insert_default().push(rule);
        Ok(())
    }

    fn validation_rule(&self, at: &JSONSchemaProps) -> Result<ValidationRule, Problem> {
        let declared = &self.declared;
        let field = path(at, declared.field)?;
        Ok(ValidationRule {
            rule: Printer::new(Dialect::Schema, at).print(declared.expression)?,
            message: declared.message.map(str::to_owned),
            reason: declared.reason.map(str::to_owned),
            field_path: (!field.is_empty()).then(|| field_path(&field)),
            ..ValidationRule::default()
        })
    }
}

/// The node of properties that are known to be there.
fn descend<'s>(root: &'s mut JSONSchemaProps, names: &[String]) -> &'s mut JSONSchemaProps {
    names.iter().fold(root, |at, name| at.properties.get_or_insert_default().entry(name.clone()).or_default())
}

/// A path such as `.secret.name`, or `['a.b']` for a name that is none of CEL.
fn field_path(names: &[String]) -> String {
    let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    names.iter().map(|name| if is_plain(name) { format!(".{name}") } else { format!("['{name}']") }).collect()
}
