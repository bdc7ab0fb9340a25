//! The options of the command `webhooks`, and what it prints.

use clap::Args;

use super::builder::Operator;
use super::error::Result;
use super::print::{print, unwritten, yaml};
use crate::admission::WebhookTarget;

#[derive(Debug, Args)]
pub(super) struct WebhookArgs {
    /// The namespace of the Service through which the API server calls the operator
    #[arg(long, value_name = "NAMESPACE", required_unless_present = "webhook_url")]
    service_namespace: Option<String>,
    /// The name of the Service [default: the name of the operator with `-webhooks`]
    #[arg(long, value_name = "NAME")]
    service_name: Option<String>,
    /// A URL at which the API server calls the operator instead of a Service, for development, such as https://192.0.2.1:9443
    #[arg(long, value_name = "URL", conflicts_with_all = ["service_namespace", "service_name"], value_parser = url)]
    webhook_url: Option<String>,
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

impl WebhookArgs {
    fn target(&self, operator: &str) -> WebhookTarget {
        match (&self.webhook_url, &self.service_namespace) {
            (Some(url), _) => WebhookTarget::url(url),
            (None, namespace) => {
                let name = self.service_name.clone().unwrap_or_else(|| format!("{operator}-webhooks"));
                WebhookTarget::service(namespace.clone().unwrap_or_default(), name)
            }
        }
    }
}

/// Prints the webhook configurations.
///
/// # Errors
/// The functions that review writes contradict each other, or standard output cannot be written.
pub(super) fn print_webhooks(operator: &Operator, args: &WebhookArgs) -> Result {
    print(&text(operator, args)?)
}

fn text(operator: &Operator, args: &WebhookArgs) -> Result<String> {
    let configurations = operator.webhook_configurations(&args.target(&operator.name))?;
    let (mutating, validating) = (yaml(&configurations.mutating), yaml(&configurations.validating));
    Ok(mutating.map_err(unwritten)? + &validating.map_err(unwritten)?)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: WebhookArgs,
    }

    fn target(line: &[&str]) -> std::result::Result<WebhookTarget, String> {
        let line = std::iter::once("webhooks").chain(line.iter().copied());
        Line::try_parse_from(line).map(|line| line.args.target("shop")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_service_has_the_name_of_the_operator() {
        assert_eq!(target(&["--service-namespace", "a"]), Ok(WebhookTarget::service("a", "shop-webhooks")));
        let named = ["--service-namespace", "a", "--service-name", "b"];
        assert_eq!(target(&named), Ok(WebhookTarget::service("a", "b")));
        assert_eq!(target(&["--webhook-url", "https://x:1"]), Ok(WebhookTarget::url("https://x:1")));
    }

    #[test]
    fn wrong_options_are_refused_with_the_flag() {
        assert!(target(&[]).unwrap_err().contains("--service-namespace"));
        assert!(target(&["--service-name", "b"]).unwrap_err().contains("--service-namespace"));
        let both = ["--service-namespace", "a", "--webhook-url", "https://x"];
        assert!(target(&both).unwrap_err().contains("cannot be used with"));
        for url in ["http://x", "x:9443", "https://u@x", "https://x/?a=b", ""] {
            assert!(target(&["--webhook-url", url]).unwrap_err().contains("write a URL with `https://`"), "{url}");
        }
    }

    #[test]
    fn an_operator_without_functions_prints_nothing() {
        let line = Line::try_parse_from(["webhooks", "--service-namespace", "a"]).unwrap();
        assert_eq!(text(&Operator::new("shop"), &line.args).unwrap(), "");
    }
}
