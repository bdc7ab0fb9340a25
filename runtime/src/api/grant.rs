//! The RBAC rule that is missing when the API server answers 403.

use std::fmt;

use kube::core::ApiResource;

use super::error::ApiError;

/// The verbs that a watch needs.
pub(crate) const WATCH: &[&str] = &["get", "list", "watch"];

/// An RBAC rule to add to a role.
pub(crate) struct Grant<'a> {
    pub(crate) verbs: &'a [&'a str],
    pub(crate) resource: &'a ApiResource,
    pub(crate) subresource: Option<&'a str>,
    pub(crate) namespace: Option<&'a str>,
}

impl fmt::Display for Grant<'_> {
    /// Formats the rule as `grant the verbs create, patch on deployments.apps in namespace team-a`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.verbs.len() == 1 { "verb" } else { "verbs" };
        let what = plural_and_group(&self.resource.plural, &self.resource.group);
        write!(f, "grant the {noun} {} on {what}", self.verbs.join(", "))?;
        self.subresource.iter().try_for_each(|subresource| write!(f, "/{subresource}"))?;
        self.namespace.iter().try_for_each(|namespace| write!(f, " in namespace {namespace}"))
    }
}

impl Grant<'_> {
    /// Adds the rule to the message of a 403 that RBAC caused. Other errors are returned unchanged.
    pub(crate) fn explain(&self, error: ApiError) -> ApiError {
        match error {
            ApiError::Forbidden(refusal) => {
                let message = self.explained(&refusal);
                ApiError::Forbidden(refusal.with_message(message))
            }
            other => other,
        }
    }

    fn explained(&self, refusal: &str) -> String {
        match Refusal::of(refusal) {
            Refusal::Verb => format!("{refusal}; {self}"),
            Refusal::Impersonation => {
                format!(
                    "{refusal}; grant the verb impersonate on it to the operator, as its `rbac` prints it for service accounts"
                )
            }
            Refusal::Unexplained => {
                format!("{}: the role lacks a rule; {self}", refusal.trim_end_matches([' ', ':']))
            }
            Refusal::Finalizers => {
                format!("{refusal}; grant the verb update on the subresource `finalizers` of the kind that owns it")
            }
            Refusal::Other => refusal.to_owned(),
        }
    }
}

/// The origin of a 403.
#[derive(Debug, PartialEq, Eq)]
enum Refusal {
    /// RBAC, with the verb in the message.
    Verb,
    /// RBAC, since the operator may not act as the user of a site.
    Impersonation,
    /// RBAC without an explanation. Servers return this if server-side apply would create an object and the role has
    /// `patch` but not `create`.
    Unexplained,
    /// The admission plugin `OwnerReferencesPermissionEnforcement`.
    Finalizers,
    /// A webhook, a quota, or a namespace that is being deleted; the role is not the cause.
    Other,
}

impl Refusal {
    fn of(refusal: &str) -> Self {
        if refusal.contains("cannot impersonate resource") {
            Self::Impersonation
        } else if refusal.contains("forbidden: User \"") {
            Self::Verb
        } else if refusal == "Forbidden" || refusal.trim_end().ends_with("is forbidden:") {
            Self::Unexplained
        } else if refusal.contains("blockOwnerDeletion") {
            Self::Finalizers
        } else {
            Self::Other
        }
    }
}

/// Formats a resource as `secrets` or `deployments.apps`.
pub(crate) fn plural_and_group(plural: &str, group: &str) -> String {
    if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    #[test]
    fn a_403_from_rbac_names_the_missing_rule() {
        let config_maps = ApiResource::erase::<ConfigMap>(&());
        let grant =
            Grant { verbs: &["create", "patch"], resource: &config_maps, subresource: None, namespace: Some("team-a") };
        let rule = "grant the verbs create, patch on configmaps in namespace team-a";
        let verb = "configmaps \"x\" is forbidden: User \"u\" cannot patch resource \"configmaps\" in API group \"\"";
        for (refusal, wanted) in [
            (verb, format!("{verb}; {rule}")),
            (
                "configmaps \"x\" is forbidden: ",
                format!("configmaps \"x\" is forbidden: the role lacks a rule; {rule}"),
            ),
            ("Forbidden", format!("Forbidden: the role lacks a rule; {rule}")),
        ] {
            assert_eq!(grant.explain(ApiError::Forbidden(refusal.into())), ApiError::Forbidden(wanted.into()));
        }
    }

    #[test]
    fn a_403_from_admission_does_not_blame_the_role() {
        let deployments = ApiResource::erase::<Deployment>(&());
        let grant = Grant { verbs: &["patch"], resource: &deployments, subresource: Some("status"), namespace: None };
        assert_eq!(grant.to_string(), "grant the verb patch on deployments.apps/status");
        for refusal in [
            "pods \"x\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
            "deployments.apps \"x\" is forbidden: unable to create new content in namespace a because it is being terminated",
            "admission webhook \"w.example.com\" denied the request: the User \"u\" cannot have it",
        ] {
            let error = ApiError::Forbidden(refusal.into());
            assert_eq!(grant.explain(error.clone()), error);
        }
        let owner = "deployments.apps \"x\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a \
            resource you can't set finalizers on: , <nil>";
        let ApiError::Forbidden(text) = grant.explain(ApiError::Forbidden(owner.into())) else { panic!("a 403") };
        assert!(
            text.ends_with("; grant the verb update on the subresource `finalizers` of the kind that owns it"),
            "{text}"
        );
    }
}
