//! The certificate of the webhook server from cert-manager: an Issuer, a Certificate, and the annotation that distributes it.

use kube::core::{ApiResource, DynamicObject, GroupVersionKind, ObjectMeta};
use serde_json::{Value, json};

use super::labels::Source;
use super::options::Certificates;

/// <https://cert-manager.io/docs/concepts/ca-injector/>
const INJECT: &str = "cert-manager.io/inject-ca-from";

/// The ending of the name of the Issuer and the Certificate.
const ENDING: &str = "-webhooks";

/// The name of the Secret that cert-manager writes. The Secret of a certificate that the operator makes itself has another one.
pub(super) fn secret(source: Source<'_>) -> String {
    source.name("-webhooks-tls")
}

/// Whether cert-manager makes the certificate.
pub(super) fn is_issued(source: Source<'_>) -> bool {
    source.parts.hooks.is_some() && source.options.certificates == Certificates::CertManager
}

/// The Issuer and the Certificate.
pub(super) fn certificates(source: Source<'_>) -> Vec<DynamicObject> {
    if !is_issued(source) {
        return Vec::new();
    }
    let (service, namespace) = (source.name(ENDING), &source.options.namespace);
    let host = |ending: &str| format!("{service}.{namespace}{ending}");
    let hosts = [service.clone(), host(""), host(".svc"), host(".svc.cluster.local")];
    let certificate = json!({
        "secretName": secret(source),
        "dnsNames": hosts,
        "issuerRef": { "group": "cert-manager.io", "kind": "Issuer", "name": service },
        "privateKey": { "algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always" },
        "usages": ["digital signature", "server auth"],
    });
    vec![object(source, "Issuer", &json!({ "selfSigned": {} })), object(source, "Certificate", &certificate)]
}

fn object(source: Source<'_>, kind: &str, spec: &Value) -> DynamicObject {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("cert-manager.io", "v1", kind));
    let mut object = DynamicObject::new(&source.name(ENDING), &resource).data(json!({ "spec": spec }));
    object.metadata = source.meta(ENDING);
    object
}

/// Lets cert-manager write the bundle into an object with webhooks.
pub(super) fn inject(source: Source<'_>, metadata: &mut ObjectMeta) {
    if is_issued(source) {
        let from = format!("{}/{}", source.options.namespace, source.name(ENDING));
        metadata.annotations.get_or_insert_default().insert(INJECT.to_owned(), from);
    }
}
