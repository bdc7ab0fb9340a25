//! What the author of an installation chooses: image, namespace, replicas, sizes.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;

use super::invalid::Invalid;

/// The longest name of an operator, since the name of a Service has up to 63 characters.
const LONGEST: usize = 63 - "-webhooks".len();

/// How many objects an operator is sized for, unless an option gives another number.
const OBJECTS: u32 = 1_000;

/// The choices for the objects that install an operator.
///
/// ```
/// use std::num::NonZero;
///
/// use evenkeel::manifests::ManifestOptions;
///
/// let mut options = ManifestOptions::new("ghcr.io/example/greeter:1.2.0", "greeter");
/// options.replicas = NonZero::new(3);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ManifestOptions {
    /// The image of the operator, with a tag or a digest. Its entry point is the operator's program.
    pub image: String,
    /// The namespace in which the operator runs.
    pub namespace: String,
    /// The number of pods. With more than one, the operator uses a lease, so that one of them works.
    ///
    /// Default: 1, or 2 if requests of users fail without the operator: it has webhooks with `failure = "fail"`, or converts objects.
    pub replicas: Option<NonZeroU32>,
    /// The number of objects in the caches of the operator, from which its memory is computed; 1,000 by default.
    pub objects: u32,
    /// Where the certificate of the webhook server comes from.
    pub certificates: Certificates,
    /// Whether the objects include the Namespace; true by default.
    pub create_namespace: bool,
    /// Whether the operator uses a lease even with one replica, since the number may be raised later.
    pub elects: bool,
    /// The address at which the pod serves metrics and probes; `0.0.0.0:8080` by default.
    pub listen: SocketAddr,
    /// The address at which the pod serves webhooks; `0.0.0.0:9443` by default.
    pub webhooks: SocketAddr,
    /// Further arguments of the program, such as `--concurrency=4`.
    pub arguments: Vec<String>,
}

/// Where the certificate of the webhook server comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Certificates {
    /// The operator makes and renews it.
    #[default]
    SelfMade,
    /// cert-manager makes and renews it. Its CRDs must be installed.
    CertManager,
}

impl ManifestOptions {
    /// The options for this image in this namespace, with the defaults for everything else.
    pub fn new(image: impl Into<String>, namespace: impl Into<String>) -> Self {
        Self {
            image: image.into(),
            namespace: namespace.into(),
            replicas: None,
            objects: OBJECTS,
            certificates: Certificates::default(),
            create_namespace: true,
            elects: false,
            listen: (Ipv4Addr::UNSPECIFIED, 8080).into(),
            webhooks: (Ipv4Addr::UNSPECIFIED, 9443).into(),
            arguments: Vec::new(),
        }
    }

    /// Rejects what an API server or the kubelet would reject.
    pub(super) fn check(&self, operator: &str) -> Result<(), Invalid> {
        check_name(operator)?;
        check_image(&self.image)?;
        check_namespace(&self.namespace)?;
        check_reachable("--listen", self.listen)?;
        check_reachable("--webhooks", self.webhooks)?;
        if self.listen.port() == self.webhooks.port() {
            let headline = format!("metrics and webhooks have the same port {}", self.listen.port());
            return Err(Invalid::new(
                headline,
                "give another port with `--listen 0.0.0.0:8080` or `--webhooks 0.0.0.0:9443`",
            ));
        }
        Ok(())
    }
}

/// The name of the operator is the beginning of those of its Services.
fn check_name(operator: &str) -> Result<(), Invalid> {
    if operator.len() > LONGEST || !operator.starts_with(|c: char| c.is_ascii_lowercase()) {
        let headline = format!("`{operator}` cannot be the beginning of the name of a Service");
        let help = format!("begin the name of the operator with a letter, and use up to {LONGEST} characters");
        return Err(Invalid::new(headline, help));
    }
    Ok(())
}

fn check_image(image: &str) -> Result<(), Invalid> {
    let is_invalid = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '{' | '}' | '\\');
    let (name, _) = image.split_once('@').unwrap_or((image, ""));
    // A registry may have upper case letters only in a tag.
    let path = name.rsplit_once('/').map_or(name, |(_, last)| last);
    let repository = path.split_once(':').map_or(path, |(repository, _)| repository);
    let has_upper = repository.chars().any(|c| c.is_ascii_uppercase());
    if repository.is_empty() || has_upper || image.contains(is_invalid) || image.ends_with([':', '@']) {
        let help = "write a repository with a tag or a digest, such as `ghcr.io/example/greeter:1.2.0`";
        return Err(Invalid::new(format!("`{image}` is no image"), help));
    }
    Ok(())
}

/// Rejects the name of a namespace that an API server would reject.
pub(crate) fn check_namespace(name: &str) -> Result<(), Invalid> {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 63 || !name.chars().all(inner) || name.starts_with('-') || name.ends_with('-') {
        let help = "use up to 63 of a-z, 0-9 and -, such as `greeter`, and no - at its ends";
        return Err(Invalid::new(format!("`{name}` cannot be the name of a namespace"), help));
    }
    Ok(())
}

/// Rejects an address that the kubelet, Prometheus or the API server cannot reach.
fn check_reachable(flag: &str, address: SocketAddr) -> Result<(), Invalid> {
    if !address.ip().is_unspecified() || address.port() == 0 {
        let headline = format!("a pod cannot be reached at {address}");
        let port = if address.port() == 0 { 8080 } else { address.port() };
        return Err(Invalid::new(headline, format!("listen on all addresses: `{flag} 0.0.0.0:{port}`")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut ManifestOptions)) -> String {
        let mut options = ManifestOptions::new("ghcr.io/example/greeter:1.2.0", "greeter");
        assert_eq!(options.check("greeter"), Ok(()));
        change(&mut options);
        let Invalid { headline, help } = options.check("greeter").unwrap_err();
        format!("{headline}; {help}")
    }

    #[test]
    fn an_image_is_a_repository_with_a_tag_or_a_digest() {
        for image in ["", " ", "a b", "Greeter:1", "example/Greeter", ":1", "x:", "x@", "{{ .Values.image }}", "a\"b"] {
            let refused = refused(|options| options.image = image.to_owned());
            assert!(refused.contains("is no image") && refused.contains("ghcr.io/example/greeter:1.2.0"), "{refused}");
        }
        for image in
            ["greeter", "localhost:5000/greeter", "Registry.example/greeter:V1", "x@sha256:0a", "x:1@sha256:0a"]
        {
            assert_eq!(check_image(image), Ok(()), "{image}");
        }
    }

    #[test]
    fn a_namespace_is_a_dns_label() {
        for namespace in ["", "Greeter", "a_b", "-a", "a-", "a.b", &"x".repeat(64)] {
            let refused = refused(|options| options.namespace = namespace.to_owned());
            assert!(refused.contains("cannot be the name of a namespace"), "{refused}");
        }
    }

    #[test]
    fn the_name_of_an_operator_begins_that_of_a_service() {
        for name in ["1greeter", &"x".repeat(55)] {
            assert!(check_name(name).unwrap_err().headline.contains("a Service"), "{name}");
        }
        assert_eq!(check_name(&"x".repeat(54)), Ok(()));
    }

    #[test]
    fn a_pod_listens_on_all_addresses() {
        let loopback = refused(|options| options.listen = ([127, 0, 0, 1], 8080).into());
        assert!(loopback.contains("127.0.0.1:8080") && loopback.contains("`--listen 0.0.0.0:8080`"), "{loopback}");
        let port = refused(|options| options.webhooks.set_port(0));
        assert!(port.contains("`--webhooks 0.0.0.0:8080`"), "{port}");
        let same = refused(|options| options.webhooks.set_port(8080));
        assert!(same.contains("the same port 8080"), "{same}");
    }
}
