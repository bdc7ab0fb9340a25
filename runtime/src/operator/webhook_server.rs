//! The settings of the webhook server.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::admission::WebhookTarget;
use crate::listen::Listener;
use crate::webhook::{Files, Names, Source};

/// How an operator serves the functions that review writes, and its conversions.
///
/// ```
/// use std::net::Ipv4Addr;
///
/// use evenkeel::{Operator, WebhookServer};
///
/// let server = WebhookServer::at((Ipv4Addr::UNSPECIFIED, 9443));
/// let operator = Operator::new("source-controller").webhooks(server);
/// ```
#[derive(Debug)]
pub struct WebhookServer {
    pub(super) listener: Listener,
    pub(super) target: Option<WebhookTarget>,
    files: Option<PathBuf>,
    #[cfg(feature = "routes")]
    audience: Option<String>,
}

impl WebhookServer {
    /// Listens on this address. In a pod that is an unspecified address such as `0.0.0.0:9443`.
    pub fn at(address: impl Into<SocketAddr>) -> Self {
        Self::new(Listener::At(address.into()))
    }

    /// Listens on a socket that is already bound.
    pub fn on(socket: std::net::TcpListener) -> Self {
        Self::new(Listener::Bound(socket))
    }

    const fn new(listener: Listener) -> Self {
        Self {
            listener,
            target: None,
            files: None,
            #[cfg(feature = "routes")]
            audience: None,
        }
    }

    /// Where the API server finds the operator. The certificate is valid for this Service or for the host of this URL.
    ///
    /// Default: the Service `<operator>-webhooks` in the namespace of the operator.
    pub fn target(mut self, target: WebhookTarget) -> Self {
        self.target = Some(target);
        self
    }

    /// Uses the certificate in `tls.crt` and `tls.key` of this folder, which another tool such as cert-manager renews. The files are read
    /// again every 10 seconds, and the webhook configurations and CRDs are left alone.
    ///
    /// Default: the operator makes a certificate for itself. It is valid for 90 days and renewed after 60. All replicas share it in the Secret
    /// `<operator>-webhook`, and put it into the `caBundle` of the operator's webhook configurations and of the CRDs of kinds that it converts.
    pub fn certificate_files(mut self, folder: impl Into<PathBuf>) -> Self {
        self.files = Some(folder.into());
        self
    }

    /// The audience for which tokens of users who call [routes](crate::Operator::routes) must be issued: `kubectl create token NAME --audience ..`.
    /// Tokens for other programs, such as the API server, are not accepted, so the operator cannot use a token anywhere else.
    ///
    /// Default: the host of the [target](Self::target), which is `<operator>-webhooks.<namespace>.svc` unless it is set. The command-line flag
    /// is `--webhook-audience`.
    #[cfg(feature = "routes")]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// The audience of the tokens of users. `namespace` is that of the operator.
    #[cfg(feature = "routes")]
    pub(super) fn audience_for(&self, operator: &str, namespace: &str) -> String {
        let of_target = || match &self.target {
            None => format!("{operator}-webhooks.{namespace}.svc"),
            Some(WebhookTarget::Service { namespace, name }) => format!("{name}.{namespace}.svc"),
            Some(WebhookTarget::Url(url)) => host(url).unwrap_or_else(|| operator.to_owned()),
        };
        self.audience.clone().unwrap_or_else(of_target)
    }

    /// The certificate's source. `namespace` is that of the operator, and `definitions` are the CRDs that call it.
    pub(super) fn source(&self, operator: &str, namespace: &str, definitions: Vec<String>) -> Source {
        if let Some(folder) = &self.files {
            return Source::Files(Files::of(folder));
        }
        let mut names = Names {
            operator: operator.to_owned(),
            namespace: namespace.to_owned(),
            service: format!("{operator}-webhooks"),
            hosts: Vec::new(),
            definitions,
        };
        match &self.target {
            None => {}
            Some(WebhookTarget::Service { namespace, name }) => {
                (names.namespace, names.service) = (namespace.clone(), name.clone());
            }
            Some(WebhookTarget::Url(url)) => names.hosts.extend(host(url)),
        }
        Source::SelfSigned(names)
    }
}

/// The host of a URL, without the brackets of an IPv6 address.
fn host(url: &str) -> Option<String> {
    let url: http::Uri = url.parse().ok()?;
    Some(url.host()?.trim_matches(['[', ']']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_target() {
        let names = |target: Option<WebhookTarget>| {
            let server = WebhookServer { target, ..WebhookServer::at(([127, 0, 0, 1], 0)) };
            match server.source("shop", "shops", Vec::new()) {
                Source::SelfSigned(names) => (names.namespace, names.service, names.hosts),
                Source::Files(files) => panic!("{files:?}"),
            }
        };
        let own = |text: &str| text.to_owned();
        assert_eq!(names(None), (own("shops"), own("shop-webhooks"), vec![]));
        let service = names(Some(WebhookTarget::service("team", "hooks")));
        assert_eq!(service, (own("team"), own("hooks"), vec![]));
        let url = names(Some(WebhookTarget::url("https://[2001:db8::1]:9443")));
        assert_eq!(url, (own("shops"), own("shop-webhooks"), vec![own("2001:db8::1")]));
    }

    #[cfg(feature = "routes")]
    #[test]
    fn the_audience_is_the_host_of_the_target() {
        let server = || WebhookServer::at(([127, 0, 0, 1], 0));
        let audience = |server: WebhookServer| server.audience_for("shop", "shops");
        assert_eq!(audience(server()), "shop-webhooks.shops.svc");
        assert_eq!(audience(server().target(WebhookTarget::service("team", "hooks"))), "hooks.team.svc");
        assert_eq!(audience(server().target(WebhookTarget::url("https://192.0.2.1:9443"))), "192.0.2.1");
        assert_eq!(audience(server().audience("shop")), "shop");
    }
}
