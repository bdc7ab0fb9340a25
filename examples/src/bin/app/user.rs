//! A user who calls a route of the app, with the token of a service account.

use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use kube::api::{Patch, PatchParams, PostParams, Request};
use kube::{Api, Client, Config};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::json;

/// The service account of the user.
const NAME: &str = "app-user";

/// Calls the route `GET <path>/<name>/hosts` at this URL. `None`: the API server has no service account tokens.
///
/// # Errors
/// The app has no certificate, or the route does not answer.
pub async fn hosts(client: &Client, url: &str, (path, name): (&str, &str)) -> Result<Option<String>, String> {
    let Ok(token) = token(client).await else { return Ok(None) };
    let failed = |error: kube::Error| format!("the route does not answer: {error}");
    let mut config = Config::new(url.parse().map_err(|_| format!("{url} is not a URL"))?);
    config.root_cert = Some(vec![certificate(client).await?]);
    config.auth_info.token = Some(token.into());
    let request = Request::new(path).get_subresource("hosts", name);
    let request = request.map_err(|error| error.to_string())?;
    Client::try_from(config).map_err(failed)?.request_text(request).await.map(Some).map_err(failed)
}

/// A token for the audience of the app, which is the host of its URL.
async fn token(client: &Client) -> kube::Result<String> {
    let accounts: Api<ServiceAccount> = Api::default_namespaced(client.clone());
    let account = json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": NAME } });
    accounts.patch(NAME, &PatchParams::apply(NAME), &Patch::Apply(account)).await?;
    let spec = TokenRequestSpec { audiences: Some(vec!["127.0.0.1".to_owned()]), ..TokenRequestSpec::default() };
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let answer = accounts.create_token_request(NAME, &PostParams::default(), &request).await?;
    Ok(answer.status.and_then(|status| status.token).unwrap_or_default())
}

/// The certificate that the app has made for itself.
async fn certificate(client: &Client) -> Result<Vec<u8>, String> {
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let secret = secrets.get("app-webhook").await.map_err(|error| error.to_string())?;
    let pem = secret.data.and_then(|mut data| data.remove("tls.crt")).unwrap_or_default();
    let der =
        CertificateDer::from_pem_slice(&pem.0).map_err(|error| format!("the certificate cannot be read: {error}"))?;
    Ok(der.to_vec())
}
