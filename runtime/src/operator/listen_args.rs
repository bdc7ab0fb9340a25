//! The flags of the listener for metrics, probes and debug pages.

use std::net::SocketAddr;
#[cfg(feature = "webhooks")]
use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

use super::builder::Operator;

/// Where the operator serves its pages, to whom, and with which certificate.
#[derive(Debug, Args)]
pub(super) struct ListenFlags {
    /// Serves metrics, health and debug pages over HTTP: a port on loopback, or an address such as 0.0.0.0:8080 [default: off]
    #[arg(id = "listen", long = "listen", global = true, value_name = "ADDRESS", value_parser = crate::listen::address)]
    pub(super) address: Option<SocketAddr>,
    /// Serves metrics and debug pages only to users who may get their path: asks for a bearer token, and checks it by the API server. Probes
    /// stay open [default: off, and debug pages are served at loopback addresses only]
    #[arg(long, global = true, value_parser = BoolishValueParser::new())]
    listen_auth: bool,
    /// Serves metrics, health and debug pages over HTTPS, with the certificate of the webhook server [default: off]
    #[cfg(feature = "webhooks")]
    #[arg(long, global = true, value_parser = BoolishValueParser::new())]
    listen_tls: bool,
    /// Serves metrics, health and debug pages over HTTPS, with the certificate in this PEM file, which another tool may renew; needs
    /// --listen-key [default: off]
    #[cfg(feature = "webhooks")]
    #[arg(long, global = true, value_name = "FILE", requires = "listen_key")]
    listen_cert: Option<PathBuf>,
    /// The PEM file with the private key of --listen-cert
    #[cfg(feature = "webhooks")]
    #[arg(long, global = true, value_name = "FILE", requires = "listen_cert")]
    listen_key: Option<PathBuf>,
}

impl ListenFlags {
    /// The operator with the flags on which its roles and its objects depend.
    pub(super) fn apply(&self, operator: Operator) -> Operator {
        let operator = if self.listen_auth { operator.listen_auth() } else { operator };
        #[cfg(feature = "webhooks")]
        let operator = if self.listen_tls { operator.listen_tls() } else { operator };
        #[cfg(feature = "webhooks")]
        let operator = match (&self.listen_cert, &self.listen_key) {
            (Some(certificate), Some(key)) => operator.listen_certificate(certificate, key),
            _ => operator,
        };
        operator
    }
}
