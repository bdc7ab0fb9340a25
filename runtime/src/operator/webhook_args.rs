//! The flags of the webhook server, and the command that prints the webhook configurations.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use clap::error::ErrorKind;

use super::builder::Operator;
use super::error::Result;
use super::print::{print, roles, unwritten, yaml};
use super::webhook_server::WebhookServer;
use crate::admission::WebhookTarget;

/// Where the operator listens for the API server, and where the API server finds it.
#[derive(Debug, Args)]
pub(super) struct WebhookFlags {
    /// Serves the functions that review writes, and routes, over HTTPS: a port on loopback, or an address such as 0.0.0.0:9443 [default: off]
    #[arg(long = "webhooks", id = "webhooks", global = true, value_name = "ADDRESS", value_parser = crate::listen::address)]
    address: Option<SocketAddr>,
    /// A folder with `tls.crt` and `tls.key` for the webhook server, which another tool renews [default: the operator makes a certificate,
    /// and renews it]
    #[arg(long = "webhook-certs", global = true, value_name = "FOLDER", requires = "webhooks")]
    certificates: Option<PathBuf>,
    /// The Service through which the API server calls the operator [default: the name of the operator with `-webhooks`, in its namespace]
    #[arg(long = "webhook-service", global = true, value_name = "NAMESPACE/NAME", value_parser = service)]
    service: Option<(String, String)>,
    /// A URL at which the API server calls the operator instead of a Service, for development, such as https://192.0.2.1:9443
    #[arg(long = "webhook-url", global = true, value_name = "URL", conflicts_with = "service", value_parser = url)]
    url: Option<String>,
    /// The audience for which the tokens of users who call routes must be issued [default: the host of the Service or of the URL]
    #[cfg(feature = "routes")]
    #[arg(long = "webhook-audience", global = true, value_name = "AUDIENCE", requires = "webhooks")]
    audience: Option<String>,
}

/// The options of the command `webhooks`.
#[derive(Debug, Args)]
pub(super) struct WebhookArgs {
    /// Adds bindings of the roles to this service account
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = service)]
    service_account: Option<(String, String)>,
}

/// Parses `namespace/name`.
fn service(text: &str) -> std::result::Result<(String, String), &'static str> {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((namespace.to_owned(), name.to_owned()))
        }
        _ => Err("write a namespace and a name, such as `shops/shop-webhooks`"),
    }
}

/// The API server accepts only this form.
fn url(text: &str) -> std::result::Result<String, &'static str> {
    let uri: Option<http::Uri> = text.parse().ok();
    let is_right = |uri: &http::Uri| uri.scheme_str() == Some("https") && uri.query().is_none();
    match uri.as_ref().is_some_and(is_right) && !text.contains(['#', '@']) {
        true => Ok(text.to_owned()),
        false => Err("write a URL with `https://`, without a user and a query, such as `https://192.0.2.1:9443`"),
    }
}

impl WebhookFlags {
    /// Where the API server finds the operator, if a flag gives it.
    pub(super) fn target(&self) -> Option<WebhookTarget> {
        let service = self.service.as_ref().map(|(namespace, name)| WebhookTarget::service(namespace, name));
        self.url.as_ref().map(WebhookTarget::url).or(service)
    }

    /// Where the operator listens, if a flag gives it.
    #[cfg(feature = "manifests")]
    pub(super) const fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// The server, if it is on.
    pub(super) fn server(self) -> Option<WebhookServer> {
        let target = self.target();
        let server = WebhookServer::at(self.address?);
        let server = target.into_iter().fold(server, WebhookServer::target);
        #[cfg(feature = "routes")]
        let server = self.audience.into_iter().fold(server, WebhookServer::audience);
        Some(self.certificates.into_iter().fold(server, WebhookServer::certificate_files))
    }

    /// The error of the commands `webhooks` and `crds` without a target.
    pub(super) fn missing(line: &mut clap::Command) -> clap::Error {
        let message =
            "add `--webhook-service NAMESPACE/NAME`, the Service in front of the operator, or `--webhook-url URL`";
        line.error(ErrorKind::MissingRequiredArgument, message)
    }
}

/// The operator with the address that a flag gives to API servers.
pub(super) fn aimed_at(mut operator: Operator, target: Option<WebhookTarget>) -> Operator {
    operator.reviews.target = target.or(operator.reviews.target);
    operator
}

/// Whether the CRDs need an address for conversions, and there is none.
pub(super) fn misses_target(operator: &Operator) -> bool {
    let reviews = &operator.reviews;
    let has_target = reviews.target.is_some() || reviews.server.as_ref().is_some_and(|one| one.target.is_some());
    !reviews.spokes.is_empty() && !has_target
}

/// Prints the roles of the webhook server and the webhook configurations.
///
/// # Errors
/// The functions that review writes contradict each other, or standard output cannot be written.
pub(super) fn print_webhooks(operator: &Operator, target: &WebhookTarget, args: &WebhookArgs) -> Result {
    print(&text(operator, target, args)?)
}

fn text(operator: &Operator, target: &WebhookTarget, args: &WebhookArgs) -> Result<String> {
    let configurations = operator.webhook_configurations(target)?;
    if operator.reviews.is_empty() {
        return Ok("# this operator has no function that the webhook server serves\n".to_owned());
    }
    let own = match target {
        WebhookTarget::Service { namespace, .. } => {
            roles(&operator.webhook_roles(namespace), args.service_account.as_ref()).map_err(unwritten)?
        }
        // A program outside of the cluster has the rights of its user.
        WebhookTarget::Url(_) => String::new(),
    };
    let (mutating, validating) = (yaml(&configurations.mutating), yaml(&configurations.validating));
    Ok(own + &mutating.map_err(unwritten)? + &validating.map_err(unwritten)?)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        flags: WebhookFlags,
    }

    fn parsed(line: &[&str]) -> std::result::Result<WebhookFlags, String> {
        let line = std::iter::once("shop").chain(line.iter().copied());
        Line::try_parse_from(line).map(|line| line.flags).map_err(|error| error.to_string())
    }

    #[test]
    fn a_flag_names_the_service_or_the_url() {
        let target = |line: &[&str]| parsed(line).unwrap().target();
        assert_eq!(target(&[]), None);
        assert_eq!(target(&["--webhook-service", "a/b"]), Some(WebhookTarget::service("a", "b")));
        assert_eq!(target(&["--webhook-url", "https://x:1"]), Some(WebhookTarget::url("https://x:1")));
    }

    #[test]
    fn the_server_is_off_without_an_address() {
        assert!(parsed(&["--webhook-service", "a/b"]).unwrap().server().is_none());
        assert!(parsed(&["--webhooks", "9443"]).unwrap().server().is_some());
        assert!(parsed(&["--webhook-certs", "folder"]).unwrap_err().contains("--webhooks"));
    }

    #[cfg(feature = "routes")]
    #[test]
    fn a_flag_sets_the_audience() {
        let server = parsed(&["--webhooks", "9443", "--webhook-audience", "shops"]).unwrap().server().unwrap();
        assert_eq!(server.audience_for("shop", "default"), "shops");
        assert!(parsed(&["--webhook-audience", "shops"]).unwrap_err().contains("--webhooks"));
    }

    #[test]
    fn wrong_flags_are_refused_with_the_form() {
        assert!(parsed(&["--webhook-service", "b"]).unwrap_err().contains("shops/shop-webhooks"));
        let both = ["--webhook-service", "a/b", "--webhook-url", "https://x"];
        assert!(parsed(&both).unwrap_err().contains("cannot be used with"));
        for url in ["http://x", "x:9443", "https://u@x", "https://x/?a=b", ""] {
            assert!(parsed(&["--webhook-url", url]).unwrap_err().contains("write a URL with `https://`"), "{url}");
        }
    }

    #[test]
    fn an_operator_without_functions_prints_a_comment() {
        let args = WebhookArgs { service_account: None };
        let text = text(&Operator::new("shop"), &WebhookTarget::service("a", "b"), &args).unwrap();
        assert!(text.starts_with("# ") && text.lines().count() == 1, "{text}");
    }
}
