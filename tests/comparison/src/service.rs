//! A small object store over HTTP. It can fail, change behind the back of its users, and hold objects in a bucket.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Path, Query, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::Result;
use crate::gate::Gate;

const REGIONS: [&str; 2] = ["north", "south"];

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Settings {
    pub name: String,
    pub region: String,
    pub user: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Bucket {
    #[serde(default)]
    pub id: String,
    /// The text that its creator gave.
    pub owner: String,
    #[serde(flatten)]
    pub settings: Settings,
    /// How many objects it holds.
    #[serde(default)]
    pub objects: u64,
}

/// What the store contains, and how it behaves.
#[derive(Default)]
pub struct Contents {
    pub buckets: BTreeMap<String, Bucket>,
    /// Whether each call fails with 503.
    pub fails: bool,
    /// How many calls there were.
    pub calls: u64,
    created: u64,
}

impl Contents {
    /// The buckets of an owner.
    pub fn of<'a>(&'a self, owner: &'a str) -> impl Iterator<Item = &'a Bucket> {
        self.buckets.values().filter(move |bucket| bucket.owner == owner)
    }

    /// Changes the first bucket of an owner behind the back of the operator.
    pub fn change(&mut self, owner: &str, change: impl FnOnce(&mut Bucket)) {
        if let Some(bucket) = self.buckets.values_mut().find(|bucket| bucket.owner == owner) {
            change(bucket);
        }
    }
}

type Shared = Arc<Mutex<Contents>>;

/// A running store. It ends when this value is dropped.
pub struct Service {
    address: SocketAddr,
    contents: Shared,
    serving: JoinHandle<()>,
}

impl Service {
    pub async fn start(gate: Arc<Gate>) -> Result<Self> {
        let contents = Shared::default();
        let router = Router::new()
            .route("/buckets", get(list).post(create))
            .route("/buckets/{id}", put(update).delete(delete))
            .layer(from_fn_with_state((contents.clone(), gate), guard))
            .with_state(contents.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let serving = tokio::spawn(async move { _ = axum::serve(listener, router).await });
        Ok(Self { address, contents, serving })
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn contents(&self) -> MutexGuard<'_, Contents> {
        lock(&self.contents)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn lock(contents: &Shared) -> MutexGuard<'_, Contents> {
    contents.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts each call, and fails it if the store fails, or if the operator is killed at it.
async fn guard(State((contents, gate)): State<(Shared, Arc<Gate>)>, request: Request, next: Next) -> Response {
    let fails = {
        let mut contents = lock(&contents);
        contents.calls += 1;
        contents.fails
    };
    let killed = || refusal(StatusCode::SERVICE_UNAVAILABLE, "the caller was killed");
    if !gate.pass() {
        return killed();
    }
    if fails {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "the store has a failure");
    }
    let answer = next.run(request).await;
    if gate.pass() { answer } else { killed() }
}

fn refusal(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": message }))).into_response()
}

/// The answer to settings that the store does not accept.
fn refused(settings: &Settings) -> Option<Response> {
    let known = REGIONS.contains(&settings.region.as_str());
    (!known).then(|| refusal(StatusCode::BAD_REQUEST, &format!("there is no region {}", settings.region)))
}

#[derive(Deserialize)]
struct Filter {
    owner: String,
}

async fn list(State(contents): State<Shared>, Query(filter): Query<Filter>) -> Json<Vec<Bucket>> {
    Json(lock(&contents).of(&filter.owner).cloned().collect())
}

async fn create(State(contents): State<Shared>, Json(new): Json<Bucket>) -> Response {
    if let Some(refused) = refused(&new.settings) {
        return refused;
    }
    let mut contents = lock(&contents);
    contents.created += 1;
    let id = format!("b-{}", contents.created);
    let bucket = Bucket { id: id.clone(), objects: 0, ..new };
    contents.buckets.insert(id, bucket.clone());
    (StatusCode::CREATED, Json(bucket)).into_response()
}

async fn update(State(contents): State<Shared>, Path(id): Path<String>, Json(settings): Json<Settings>) -> Response {
    if let Some(refused) = refused(&settings) {
        return refused;
    }
    match lock(&contents).buckets.get_mut(&id) {
        Some(bucket) => {
            bucket.settings = settings;
            Json(bucket.clone()).into_response()
        }
        None => refusal(StatusCode::NOT_FOUND, "there is no such bucket"),
    }
}

async fn delete(State(contents): State<Shared>, Path(id): Path<String>) -> Response {
    let mut contents = lock(&contents);
    match contents.buckets.get(&id) {
        Some(bucket) if bucket.objects > 0 => {
            refusal(StatusCode::CONFLICT, &format!("it holds {} objects", bucket.objects))
        }
        _ => {
            contents.buckets.remove(&id);
            Json(Value::Null).into_response()
        }
    }
}
