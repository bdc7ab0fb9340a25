//! The pages of the listener: `/metrics`, `/healthz`, `/readyz` and `/debug/objects`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;

use super::custom::Checked;
use super::debug_objects::rows;
use super::object_query::ObjectQuery;
use super::readiness::Readiness;
use super::registry::Metrics;
use super::{ReconcilerMetrics, guard, host_check, html, readiness};

const PAGES: &str = "available paths: /metrics, /healthz, /readyz, /debug/objects and /debug/objects?format=json\n";
const READ_ONLY: &str = "read-only: use GET\n";

/// The pages of this operator. `local` is whether the listener has a loopback address.
pub(super) fn router(metrics: Metrics, local: bool) -> Router {
    let guard = metrics.custom().guard.clone();
    let is_closed = !local && guard.is_open();
    Router::new()
        .route("/metrics", get(scraped))
        .route("/debug/objects", get(objects))
        .route_layer(from_fn_with_state(guard, guard::ask_for_token))
        .route_layer(from_fn_with_state(is_closed, guard::close_debug_pages))
        .route("/healthz", get(healthy))
        .route("/readyz", get(ready))
        .method_not_allowed_fallback(async || (StatusCode::METHOD_NOT_ALLOWED, READ_ONLY))
        .fallback((StatusCode::NOT_FOUND, PAGES))
        .layer(from_fn_with_state(local, host_check::refuse_foreign))
        .layer(map_response(with_headers))
        .with_state(metrics)
}

async fn scraped(State(metrics): State<Metrics>) -> Response {
    const FORM: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    match metrics.text() {
        Ok(text) => ([(header::CONTENT_TYPE, FORM)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

async fn healthy(State(metrics): State<Metrics>) -> (StatusCode, String) {
    let Checked { healthy, text } = metrics.custom().healthz.verdict().await;
    (status(healthy), format!("{}\n{text}", if healthy { "ok" } else { "not healthy" }))
}

async fn ready(State(metrics): State<Metrics>) -> (StatusCode, String) {
    let checks = metrics.custom().readyz.verdict().await;
    let readiness = Readiness { started: metrics.has_started(), serves_webhooks: metrics.custom().serves_webhooks };
    let Checked { healthy, text } =
        readiness::verdict(readiness, &metrics.health().failing(), &paused(&metrics), &checks);
    (status(healthy), text)
}

fn status(is_fine: bool) -> StatusCode {
    if is_fine { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
}

/// The paused reconcilers.
fn paused(metrics: &Metrics) -> Vec<readiness::Paused> {
    let all = metrics.subjects();
    let why = |controller: &Arc<ReconcilerMetrics>| {
        let (time, why) = controller.subject()?.paused()?;
        Some((controller.name(), time, why))
    };
    all.iter().filter_map(why).collect()
}

/// The form of the response.
#[derive(Deserialize)]
struct Form {
    format: Option<String>,
}

async fn objects(
    State(metrics): State<Metrics>,
    Query(query): Query<ObjectQuery>,
    Query(form): Query<Form>,
    headers: HeaderMap,
) -> Response {
    let (rows, all) = rows(&metrics.subjects(), &query);
    let accepts = headers.get(header::ACCEPT).map(HeaderValue::as_bytes);
    match form.format.as_deref() == Some("json") || accepts == Some(b"application/json") {
        true => {
            let json = html::json(&rows, all).to_string();
            ([(header::CONTENT_TYPE, "application/json")], json).into_response()
        }
        false => Html(html::html(&rows, all, &query)).into_response(),
    }
}

async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Blocks scripts even if an object name contains markup.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use http::{Method, Request};
    use tower::ServiceExt;

    use super::*;
    use crate::telemetry::metrics::Custom;
    use crate::watch::Health;

    async fn ask(method: Method, path: &str) -> (u16, HeaderMap, String) {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        let (head, body) = router(Metrics::new(Health::default(), Custom::default()), true)
            .oneshot(request)
            .await
            .unwrap()
            .into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        (head.status.as_u16(), head.headers, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn each_response_forbids_scripts_and_caches() {
        for (method, path, status) in [
            (Method::GET, "/healthz", 200),
            (Method::GET, "/readyz", 503),
            (Method::GET, "/debug/objects", 200),
            (Method::GET, "/lost", 404),
            (Method::DELETE, "/healthz", 405),
            (Method::GET, "http://evil.example/healthz", 421),
            (Method::GET, "/debug/objects?kind=A&kind=B", 400),
        ] {
            let (answered, headers, _) = ask(method, path).await;
            assert_eq!(answered, status, "{path}");
            assert_eq!(headers["cache-control"], "no-store", "{path}");
            assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
            assert!(headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none';"), "{path}");
        }
    }

    #[tokio::test]
    async fn head_returns_the_headers_of_get() {
        for path in ["/metrics", "/healthz", "/readyz", "/debug/objects", "/debug/objects?format=json"] {
            let (get, head) = (ask(Method::GET, path).await, ask(Method::HEAD, path).await);
            assert_eq!((head.0, &head.1["content-type"], &*head.2), (get.0, &get.1["content-type"], ""), "{path}");
            assert_eq!(head.1["content-length"], get.2.len().to_string(), "{path}");
        }
    }

    #[tokio::test]
    async fn a_filter_is_decoded() {
        let page = ask(Method::GET, "/debug/objects?name=a%2Db").await.2;
        assert!(page.contains("name=name value=\"a-b\""), "{page}");
    }
}
