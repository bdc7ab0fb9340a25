//! The settings of the webhook server.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::admission::WebhookTarget;
use crate::listen::Listener;
use crate::webhook::{Names, Source};

/// How an operator serves the functions that review writes.
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
    target: Option<WebhookTarget>,
    files: Option<PathBuf>,
}

impl WebhookServer {
    /// Listens on this address. In a pod that is an unspecified address such as `0.0.0.0:9443`.
    pub fn at(address: impl Into<SocketAddr>) -> Self {
        Self { listener: Listener::At(address.into()), target: None, files: None }
    }

    /// Listens on a socket that is already bound.
    pub fn on(socket: std::net::TcpListener) -> Self {
        Self { listener: Listener::Bound(socket), target: None, files: None }
    }

    /// Where the API server finds the operator. The certificate is valid for this Service or for the host of this URL.
    ///
    /// Default: the Service `<operator>-webhooks` in the namespace of the operator.
    pub fn target(mut self, target: WebhookTarget) -> Self {
        self.target = Some(target);
        self
    }

    /// Uses the certificate in `tls.crt` and `tls.key` of this folder, which another tool such as cert-manager renews. The files are read
    /// again every 10 seconds, and the webhook configurations are left alone.
    ///
    /// Default: the operator makes a certificate for itself. It is valid for 90 days and renewed after 60. All replicas share it in the Secret
    /// `<operator>-webhook`, and put it into the `caBundle` of the operator's webhook configurations.
    pub fn certificate_files(mut self, folder: impl Into<PathBuf>) -> Self {
        self.files = Some(folder.into());
        self
    }

    /// The certificate's source. `namespace` is that of the operator.
    pub(super) fn source(&self, operator: &str, namespace: &str) -> Source {
        if let Some(folder) = &self.files {
            return Source::Files(folder.clone());
        }
        let mut names = Names {
            operator: operator.to_owned(),
            namespace: namespace.to_owned(),
            service: format!("{operator}-webhooks"),
            hosts: Vec::new(),
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
            match server.source("shop", "shops") {
                Source::SelfSigned(names) => (names.namespace, names.service, names.hosts),
                Source::Files(folder) => panic!("{}", folder.display()),
            }
        };
        let own = |text: &str| text.to_owned();
        assert_eq!(names(None), (own("shops"), own("shop-webhooks"), vec![]));
        let service = names(Some(WebhookTarget::service("team", "hooks")));
        assert_eq!(service, (own("team"), own("hooks"), vec![]));
        let url = names(Some(WebhookTarget::url("https://[2001:db8::1]:9443")));
        assert_eq!(url, (own("shops"), own("shop-webhooks"), vec![own("2001:db8::1")]));
    }
}
