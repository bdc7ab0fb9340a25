//! What the commands print: YAML documents, and errors about standard output.

use std::io::Write;

use serde::Serialize;

use super::error::{Error, Reason, Result};
use crate::introspection::Roles;
use crate::rule::AdmissionPolicy;

/// Writes to standard output.
pub(super) fn print(text: &str) -> Result {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(unwritten)
}

/// Shows on a terminal that a command is at work.
#[cfg(feature = "doctor")]
pub(super) fn progress(text: &str) {
    use std::io::IsTerminal;
    let mut out = std::io::stderr();
    if out.is_terminal() {
        // Progress is no result, so an error does not matter.
        let _ = write!(out, "\r{text}\x1b[K\r");
    }
}

/// The error for standard output.
pub(super) fn unwritten(error: std::io::Error) -> Error {
    let headline = format!("standard output cannot be written: {error}");
    Error::new(Reason::Config, headline, "check where standard output goes").caused_by(error)
}

/// The roles, and their bindings to the service account.
pub(super) fn roles(roles: &Roles, service_account: Option<&(String, String)>) -> std::io::Result<String> {
    let (cluster, own) = service_account.map(|(namespace, name)| roles.bindings(namespace, name)).unwrap_or_default();
    Ok([yaml(&roles.cluster_role)?, yaml(&roles.roles)?, yaml(&roles.site_role)?, yaml(&cluster)?, yaml(&own)?]
        .concat())
}

/// The policies, each with its binding.
pub(super) fn policies_and_bindings(policies: &[AdmissionPolicy]) -> std::io::Result<String> {
    policies
        .iter()
        .try_fold(String::new(), |text, one| Ok([text, yaml([&one.policy])?, yaml([&one.binding])?].concat()))
}

/// One YAML document for each.
pub(super) fn yaml<'a, T: Serialize + 'a>(objects: impl IntoIterator<Item = &'a T>) -> std::io::Result<String> {
    objects.into_iter().try_fold(String::new(), |text, object| {
        let document = serde_saphyr::to_string(object).map_err(std::io::Error::other)?;
        Ok(format!("{text}---\n{document}"))
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

    use super::*;

    #[test]
    fn crds_print_as_valid_yaml_documents() {
        let mut definition = CustomResourceDefinition::default();
        definition.metadata.name = Some("things.example.com".into());
        definition.spec.group = "on".into();
        let text = yaml(&[definition.clone(), definition.clone()]).unwrap();
        let documents: Vec<&str> = text.split("---\n").filter(|document| !document.is_empty()).collect();
        assert_eq!(documents.len(), 2);
        for document in documents {
            assert_eq!(serde_saphyr::from_str::<CustomResourceDefinition>(document).unwrap(), definition);
        }
    }
}
