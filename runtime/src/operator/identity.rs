//! The names of an operator, as whom it acts, and its settings.

#[cfg(all(feature = "metrics", feature = "webhooks"))]
use std::path::PathBuf;
use std::sync::Arc;

use kube::{Client, Config};

use super::builder::Operator;
use super::error::{Error, Reason, Result};
use crate::dependency::Access;
use crate::wiring::OperatorNames;
use crate::wiring::annotations::DOMAIN;

impl Operator {
    /// The names that the operator had in earlier versions. Its objects are taken over from them:
    ///
    /// - Their finalizers (`<group>/<operator>`) and field managers (`<operator>/<reconciler>`) are replaced.
    /// - Dependents with their names are found. The next pass of the component writes the new name, with one apply for each object.
    ///
    /// Stop the former operator before this one starts. A reconciler or a step with another name has a word of its own:
    /// `#[reconciler(previously(reconcilers("shop")))]`, `dependents(.., previously(steps("install")))`.
    ///
    /// ```
    /// use evenkeel::Operator;
    ///
    /// let operator = Operator::new("shop-operator").previously(["shop"]);
    /// ```
    pub fn previously<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.previously = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        self
    }

    /// The domain of the labels and annotations with which the operator marks its objects. Default: `evenkeel.dev`.
    ///
    /// It is meant for companies whose rules ask for their own domain: `corp.example` gives `corp.example/dependent-of`. The annotations that
    /// users write, such as policies, keep their names.
    ///
    /// Set it before the first object is made: an operator finds only the marks under its own domain. A set whose objects have marks under
    /// another one gets the reason `SiteInvalid`, and nothing of it is written.
    ///
    /// ```
    /// use evenkeel::Operator;
    ///
    /// let operator = Operator::new("shop-operator").marks("corp.example");
    /// ```
    pub fn marks(mut self, domain: &str) -> Self {
        self.marks = Some(domain.into());
        self
    }

    /// Each object belongs to the operator that its annotation
    /// [`evenkeel.dev/operator-namespace`](crate::ownership::OPERATOR_NAMESPACE) names:
    ///
    /// - An object without the annotation is annotated for this operator before anything else is done for it.
    /// - An object of another operator is ignored, even on deletion. One Warning event is emitted for it.
    ///
    /// Unless this is set, the operator reconciles all objects. The command-line flag is `--operator-namespace`.
    pub fn operator_namespace(mut self, namespace: impl AsRef<str>) -> Self {
        self.owner = Some(namespace.as_ref().into()).filter(|namespace: &Arc<str>| !namespace.is_empty());
        self
    }

    /// Whether objects may refer to objects in other namespaces.
    ///
    /// This applies to `depends_on` and [`Cx::require_ready`](crate::Cx::require_ready). Cross-namespace references are
    /// allowed by default. With [`Access::SameNamespace`], or `--no-cross-namespace-refs` on the command line, an
    /// object with such a reference is stalled with the reason `AccessDenied`. All other reads by name are limited to
    /// the namespace of the reconciled object anyway.
    pub fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Asks for a bearer token at `/metrics` and the debug pages of the [listener](Self::listen), and checks it by the API server.
    ///
    /// The user of the token needs the right to `get` the path, by a rule with `nonResourceURLs`. Answers of the API server count for 10
    /// seconds. The probes `/healthz` and `/readyz` stay open. The command-line flag is `--listen-auth`.
    #[cfg(feature = "metrics")]
    pub fn listen_auth(mut self) -> Self {
        self.custom.guard = crate::telemetry::metrics::Guard::with_tokens();
        self
    }

    /// Serves the pages of the [listener](Self::listen) over HTTPS, with the certificate of the webhook server.
    ///
    /// Probes then need the scheme `HTTPS`; the kubelet does not check the certificate. The command-line flag is `--listen-tls`.
    ///
    /// # Errors
    /// The operator does not start without a [webhook server](Self::webhooks).
    #[cfg(all(feature = "metrics", feature = "webhooks"))]
    pub fn listen_tls(mut self) -> Self {
        self.custom.wants_tls = true;
        self
    }

    /// Serves the pages of the [listener](Self::listen) over HTTPS, with the certificate and the key in these PEM files. Takes precedence over
    /// [`listen_tls`](Self::listen_tls).
    ///
    /// The files are read again every 10 seconds, so a mounted Secret may be renewed at any time. The command-line flags are `--listen-cert`
    /// and `--listen-key`.
    ///
    /// # Errors
    /// The operator does not start if a file cannot be read, or if the two do not belong together.
    #[cfg(all(feature = "metrics", feature = "webhooks"))]
    pub fn listen_certificate(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.custom.certificate = Some((certificate.into(), key.into()));
        self
    }

    /// Sets these settings from the section `settings` of the file of `--config`, and again whenever the section changes.
    ///
    /// Call it once, with the value that steps get as a dependency. The [guide](crate::guide::configuration) has an example.
    #[cfg(feature = "config")]
    pub fn settings<T>(mut self, live: &crate::config::Live<T>) -> Self
    where
        T: serde::de::DeserializeOwned + Send + Sync + 'static,
    {
        self.file.accept(live);
        self
    }

    /// The configuration of the cluster, instead of the kubeconfig or the service account of the pod.
    ///
    /// The flags `--kubeconfig` and `--context` replace it. A finished [client](Self::client) takes precedence.
    ///
    /// ```no_run
    /// # async fn configured() -> Result<(), kube::Error> {
    /// use evenkeel::Operator;
    ///
    /// let mut config = kube::Config::infer().await.map_err(kube::Error::InferConfig)?;
    /// config.headers.push((http::HeaderName::from_static("x-tenant"), http::HeaderValue::from_static("a")));
    /// let operator = Operator::new("shop-operator").config(config);
    /// # Ok(())
    /// # }
    /// ```
    pub fn config(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// The client to use instead of one from the kubeconfig or the service account.
    ///
    /// Disable kube's own retries in its configuration (`config.default_retry = false`). The queue already backs off
    /// per object, and retries inside the client would occupy its slots.
    #[cfg_attr(feature = "lease", doc = "")]
    #[cfg_attr(
        feature = "lease",
        doc = "An operator with [replicas](Self::replicas) does not start with it: a finished client may hold a write back until another replica leads. Use [`config`](Self::config), or [`test_client`](Self::test_client) in tests."
    )]
    pub fn client(mut self, client: Client) -> Self {
        self.client = Some(client);
        self
    }

    /// The client of a test, whose requests reach the server as soon as they are sent, such as that of the test kit.
    ///
    /// It is also accepted for an operator with several replicas.
    pub fn test_client(self, client: Client) -> Self {
        Self { sends_at_once: true, ..self.client(client) }
    }

    /// The version of the program, for `--version` and the `User-Agent`.
    ///
    /// Usually `.version(env!("CARGO_PKG_VERSION"))`.
    pub fn version(mut self, version: &str) -> Self {
        self.version = Some(version.to_owned());
        self
    }

    /// The service account as which sets of dependents act whose step has no `site`.
    ///
    /// It is in the namespace of the component; so no component can write more than its namespace allows. Default: they act as the operator.
    /// The command-line flag is `--default-service-account`.
    ///
    /// Source: Flux's lockdown for several tenants, <https://fluxcd.io/flux/installation/configuration/multitenancy/>.
    #[cfg(feature = "dependents")]
    pub fn default_service_account(mut self, name: impl AsRef<str>) -> Self {
        self.default_service_account = Some(name.as_ref().into()).filter(|name: &Arc<str>| !name.is_empty());
        self
    }

    /// Runs several replicas of the operator. One works, and the others are ready to take over.
    ///
    /// The replicas agree by a `Lease` in their namespace. The leader renews it; a replica that cannot renew it stops to write in time, even
    /// if it is suspended or starved. All replicas serve webhooks, routes, metrics and probes, and their caches are warm.
    ///
    /// After a clean stop another replica takes over at once, and after a crash 15 s after the last renewal. The command-line flags are
    /// `--replicas` and `--no-replicas`. The [guide](crate::guide::replicas) lists what is promised, and what is not.
    ///
    /// ```
    /// use evenkeel::Operator;
    ///
    /// let operator = Operator::new("source-controller").replicas();
    /// ```
    ///
    /// # Errors
    /// The operator does not start with a finished [client](Self::client).
    #[cfg(feature = "lease")]
    pub fn replicas(mut self) -> Self {
        self.replicas = Some(super::replicas::Replicas::default());
        self
    }

    /// Like [`replicas`](Self::replicas), with other times, another Lease, or shards. This and the command line add the code of shards to the
    /// program, some 120 KB.
    ///
    /// # Errors
    /// The operator does not start if the times contradict each other; see [`Replicas`](crate::Replicas).
    #[cfg(feature = "lease")]
    pub fn replicas_with(mut self, replicas: super::replicas::Replicas) -> Self {
        self.replicas = Some(replicas);
        self.start_shards = Some(crate::lease::ShardElection::start);
        self
    }

    /// All names of the operator.
    pub(super) fn names(&self) -> OperatorNames {
        let OperatorNames { name, domain, .. } = OperatorNames::new(&self.name);
        OperatorNames { name, former: self.previously.clone().into(), domain: self.marks.clone().unwrap_or(domain) }
    }
}

/// Checks the names.
pub(super) fn check(operator: &Operator) -> Result {
    let setup = |headline: String, help: &str| Err(Error::new(Reason::Setup, headline, help));
    let mut names = [&*operator.name].into_iter().chain(operator.previously.iter().map(String::as_str));
    if let Some(name) = names.find(|name| !is_label(name)) {
        let help = "it is part of finalizer names: use up to 63 of a-z, 0-9 and -, for example source-controller";
        return setup(format!("`{name}` cannot be the name of an operator"), help);
    }
    if operator.previously.iter().any(|former| **former == *operator.name) {
        let headline = format!("`{}` is the present name of the operator, and a former one, too", operator.name);
        return setup(headline, "remove it from `previously(..)`");
    }
    let domain = operator.marks.as_deref().unwrap_or(DOMAIN);
    if !is_domain(domain) {
        let help = "write a domain of yours, of up to 63 characters, for example corp.example";
        return setup(format!("`{domain}` cannot be the domain of marks"), help);
    }
    Ok(())
}

/// Whether the name is a DNS label, which is always valid in the name part of a finalizer.
fn is_label(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 63 && name.chars().all(inner) && !name.starts_with('-') && !name.ends_with('-')
}

/// Whether the text is a domain, and not one of Kubernetes itself.
fn is_domain(text: &str) -> bool {
    let is_reserved = ["kubernetes.io", "k8s.io"].iter().any(|end| text == *end || text.ends_with(&format!(".{end}")));
    text.contains('.') && text.len() <= 63 && text.split('.').all(is_label) && !is_reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_invalid_in_a_finalizer_are_rejected() {
        for name in ["", "Source", "a_b", "-a", "a-", "a/b", &"x".repeat(64)] {
            assert!(!is_label(name), "{name}");
        }
        assert!(is_label("source-controller"));
    }

    #[test]
    fn the_domain_of_marks_is_one_of_the_user() {
        for domain in ["", "corp", "Corp.example", "corp.example/x", "k8s.io", "x.kubernetes.io", "a..b"] {
            assert!(!is_domain(domain), "{domain}");
        }
        assert!(is_domain(DOMAIN) && is_domain("corp.example"));
    }

    #[test]
    fn a_former_name_is_another_one() {
        let check = |operator: Operator| check(&operator).map_err(|error| error.to_string());
        assert!(check(Operator::new("shop").previously(["store"])).is_ok());
        assert!(check(Operator::new("shop").previously(["shop"])).unwrap_err().contains("a former one, too"));
        assert!(check(Operator::new("shop").previously(["Store"])).unwrap_err().contains("cannot be the name"));
        assert!(check(Operator::new("shop").marks("k8s.io")).unwrap_err().contains("cannot be the domain of marks"));
    }
}
