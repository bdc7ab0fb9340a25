//! What the objects that install an operator take from it, and the check of a running program against them.

use super::builder::Operator;
use super::error::{Error, Reason, Result};
use super::lease_role::{self, role_in};
use super::monitoring::monitored;
use crate::introspection::AppManifest;
use crate::manifests::{HookParts, Invalid, ManifestOptions, ManifestSet, Parts, WIRING_VARIABLE, build};
use crate::sha256::{hex, sha256};
use crate::sorted_json::sorted;

/// The digits of a hash that are shown.
const DIGITS: usize = 16;

/// See [`Operator::manifest_set`].
pub(super) fn manifest_set(operator: &Operator, options: &ManifestOptions) -> Result<ManifestSet> {
    super::settings::check(operator)?;
    build(&parts(operator, options)?, options, &operator.edits).map_err(refused)
}

/// The error for a value that cannot be part of an object.
pub(super) fn refused(Invalid { headline, help }: Invalid) -> Error {
    Error::new(Reason::Manifests, headline, help)
}

fn parts(operator: &Operator, options: &ManifestOptions) -> Result<Parts> {
    let hooks = hooks(operator, options)?;
    if operator.custom.wants_tls && hooks.is_none() && !has_certificate(operator) {
        let help = "leave out `--listen-tls`: its certificate is that of the webhook server, which this operator does not need";
        return Err(refused(Invalid::new("the listener has TLS, and there is no certificate", help)));
    }
    let known = operator.introspect();
    let roles = operator.roles_alone();
    Ok(Parts {
        name: operator.name.to_string(),
        instance: lease_role::instance(operator),
        version: operator.version.clone(),
        definitions: definitions(operator, options),
        lease_role: role_in(operator, &options.namespace, &roles),
        elects: operator.replicas.is_some(),
        roles,
        policies: operator.admission_policies(),
        hooks,
        watched: operator.namespaces.iter().map(ToString::to_string).collect(),
        #[cfg(feature = "config")]
        config: operator.file.for_pods(),
        #[cfg(not(feature = "config"))]
        config: None,
        listen_auth: !operator.custom.guard.is_open(),
        listen_tls: operator.custom.wants_tls || has_certificate(operator),
        shutdown_timeout: operator.shutdown_timeout,
        is_external: known.iter().any(|known| known.wiring.all_steps().any(|step| step.external)),
        monitored: monitored(operator),
        wiring: wiring(operator),
    })
}

/// Whether the certificate of the listener is in files.
fn has_certificate(operator: &Operator) -> bool {
    #[cfg(feature = "webhooks")]
    return operator.custom.certificate.is_some();
    #[cfg(not(feature = "webhooks"))]
    {
        let _ = operator;
        false
    }
}

#[cfg(feature = "webhooks")]
fn target(operator: &Operator, namespace: &str) -> crate::admission::WebhookTarget {
    crate::admission::WebhookTarget::service(namespace, format!("{}-webhooks", operator.name))
}

#[cfg(feature = "webhooks")]
fn definitions(
    operator: &Operator,
    options: &ManifestOptions,
) -> Vec<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition> {
    operator.definitions_calling(&target(operator, &options.namespace))
}

#[cfg(not(feature = "webhooks"))]
fn definitions(
    operator: &Operator,
    _options: &ManifestOptions,
) -> Vec<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition> {
    operator.definitions()
}

#[cfg(feature = "webhooks")]
fn hooks(operator: &Operator, options: &ManifestOptions) -> Result<Option<HookParts>> {
    if operator.reviews.is_empty() {
        return Ok(None);
    }
    let fails =
        |function: &crate::admission::Function| function.wiring().failure == crate::wiring::admission::Failure::Fail;
    Ok(Some(HookParts {
        must_answer: !operator.reviews.spokes.is_empty() || operator.reviews.functions.iter().any(fails),
        configurations: operator.webhook_configurations(&target(operator, &options.namespace))?,
        roles: operator.webhook_roles(&options.namespace),
    }))
}

#[cfg(not(feature = "webhooks"))]
fn hooks(_operator: &Operator, _options: &ManifestOptions) -> Result<Option<HookParts>> {
    Ok(None)
}

/// The hash of what the program determines: its CRDs, functions and rights, whatever the version and the flags are.
fn wiring(operator: &Operator) -> String {
    let manifest = AppManifest { version: None, ..operator.app_manifest() };
    #[cfg(feature = "webhooks")]
    let definitions = operator.definitions_calling(&target(operator, "default"));
    #[cfg(not(feature = "webhooks"))]
    let definitions = operator.definitions();
    let value = serde_json::to_value((manifest, definitions)).unwrap_or_default();
    hex(&sha256(sorted(value).to_string()))[..DIGITS].to_owned()
}

/// Warns once if the pod was made from the manifests of another program.
pub(super) fn warn_if_other(operator: &Operator) {
    let Ok(theirs) = std::env::var(WIRING_VARIABLE) else { return };
    if let Some(ours) = differs(operator, &theirs) {
        tracing::warn!(
            manifests = theirs,
            program = ours,
            "the manifests of this pod are those of another program, so CRDs or RBAC rules may be missing; \
             apply the output of `manifests` of this image"
        );
    }
}

/// The hash of the program, if it is another one.
fn differs(operator: &Operator, theirs: &str) -> Option<String> {
    let ours = wiring(operator);
    (!theirs.is_empty() && theirs != ours).then_some(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deployments_with_other_selectors_share_only_what_they_can() {
        let set = |selector: &str| {
            let operator = Operator::new("shop").label_selector(selector).replicas();
            let options = ManifestOptions::new("shop:1", "shop");
            build(&parts(&operator, &options).unwrap(), &options, &operator.edits).unwrap()
        };
        let (a, b, plain) = (set("shard=a"), set("shard=b"), set(""));
        let name = |set: &ManifestSet| set.deployment.metadata.name.clone().unwrap();
        assert_eq!(name(&plain), "shop");
        assert!(name(&a).starts_with("shop-") && name(&a) != name(&b), "{} and {}", name(&a), name(&b));
        let pods = |set: &ManifestSet| set.deployment.spec.selector.match_labels.clone().unwrap();
        let budget = |set: &ManifestSet| set.disruption_budget.clone().unwrap();
        assert_eq!(pods(&plain).len(), 1);
        for (one, other) in [(&a, &b), (&b, &a)] {
            assert_eq!(pods(one)["app.kubernetes.io/instance"], name(one));
            let labels = one.deployment.spec.template.metadata.clone().unwrap().labels.unwrap();
            assert!(pods(one).iter().all(|(key, value)| labels.get(key) == Some(value)), "{labels:?}");
            assert_eq!(budget(one).spec.unwrap().selector.unwrap().match_labels, Some(pods(one)));
            assert_eq!(budget(one).metadata.name, Some(name(one)));
            let role = format!("{}-leader-election", name(one));
            let has = |set: &ManifestSet| set.roles.iter().any(|held| held.metadata.name.as_ref() == Some(&role));
            assert!(has(one) && !has(other) && !has(&plain), "{role}");
            assert_eq!(one.service_account, other.service_account);
            assert_eq!(one.services, other.services);
        }
    }

    #[test]
    fn the_hash_is_that_of_the_program_alone() {
        let operator = || Operator::new("shop");
        let hash = wiring(&operator());
        assert_eq!(hash.len(), DIGITS);
        assert_eq!(wiring(&operator().version("2.0.0").namespaces(["a"])), hash);
        assert_ne!(wiring(&Operator::new("store")), hash);
        assert_eq!(differs(&operator(), &hash), None);
        assert_eq!(differs(&operator(), ""), None, "the program does not run from these manifests");
        assert_eq!(differs(&operator(), "other"), Some(hash));
    }
}
