//! The client of the store, for both operators in Rust.

use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The part of a bucket that its owner decides.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Settings {
    pub name: String,
    pub region: String,
    pub user: String,
}

/// A bucket at the store.
#[derive(Clone, Debug, Deserialize)]
pub struct Stored {
    pub id: String,
    #[serde(flatten)]
    pub settings: Settings,
}

#[derive(Serialize)]
struct New<'a> {
    owner: &'a str,
    #[serde(flatten)]
    settings: &'a Settings,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store refuses the settings: the same request fails again.
    #[error("the store refuses the bucket: {0}")]
    Refused(String),
    /// The store does not delete a bucket with objects.
    #[error("the bucket cannot be deleted: {0}")]
    NotEmpty(String),
    /// The store failed, or did not respond.
    #[error("the store failed: {0}")]
    Failed(String),
}

#[derive(Clone, Debug)]
pub struct Store {
    url: String,
    client: Client<HttpConnector, Full<bytes::Bytes>>,
}

impl Store {
    pub fn new(url: String) -> Self {
        Self { url, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    /// Returns the bucket of an owner.
    pub async fn find(&self, owner: &str) -> Result<Option<Stored>, StoreError> {
        let found: Vec<Stored> = self.call(Method::GET, &format!("/buckets?owner={owner}"), &()).await?;
        Ok(found.into_iter().next())
    }

    /// Creates a bucket. A second call creates a second one.
    pub async fn create(&self, owner: &str, settings: &Settings) -> Result<Stored, StoreError> {
        self.call(Method::POST, "/buckets", &New { owner, settings }).await
    }

    pub async fn update(&self, id: &str, settings: &Settings) -> Result<Stored, StoreError> {
        self.call(Method::PUT, &format!("/buckets/{id}"), settings).await
    }

    pub async fn delete(&self, id: &str) -> Result<(), StoreError> {
        self.call(Method::DELETE, &format!("/buckets/{id}"), &()).await
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, StoreError> {
        let failed = |error: &dyn std::error::Error| StoreError::Failed(error.to_string());
        let body = serde_json::to_vec(body).map_err(|error| failed(&error))?;
        let request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/json").body(Full::from(body));
        let answer = self.client.request(request.map_err(|error| failed(&error))?).await;
        let answer = answer.map_err(|error| failed(&error))?;
        let status = answer.status();
        let body = answer.into_body().collect().await.map_err(|error| failed(&error))?.to_bytes();
        let text = || format!("{status}: {}", String::from_utf8_lossy(&body));
        match status {
            StatusCode::BAD_REQUEST => Err(StoreError::Refused(text())),
            StatusCode::CONFLICT => Err(StoreError::NotEmpty(text())),
            status if status.is_success() => serde_json::from_slice(&body).map_err(|error| failed(&error)),
            _ => Err(StoreError::Failed(text())),
        }
    }
}
