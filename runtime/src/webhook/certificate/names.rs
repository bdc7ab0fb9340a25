//! The names around a self-signed certificate.

/// The names around a self-signed certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// The name of the operator, which is that of its webhook configurations.
    pub(crate) operator: String,
    /// The namespace of the Service and of the Secret.
    pub(crate) namespace: String,
    /// The Service in front of the operator.
    pub(crate) service: String,
    /// Further host names and addresses of the certificate.
    pub(crate) hosts: Vec<String>,
    /// The CRDs of kinds that the operator converts.
    pub(crate) definitions: Vec<String>,
}

impl Names {
    /// The Secret with the certificate.
    pub(crate) fn secret(&self) -> String {
        format!("{}-webhook", self.operator)
    }

    /// The host names and addresses of the certificate.
    pub(crate) fn subjects(&self) -> Vec<String> {
        let Self { namespace, service, hosts, .. } = self;
        let base = format!("{service}.{namespace}");
        let mut subjects =
            vec![service.clone(), base.clone(), format!("{base}.svc"), format!("{base}.svc.cluster.local")];
        subjects.extend(hosts.iter().cloned());
        subjects
    }
}
