//! The objects of one kind: each is observed at once, and ready after the delay.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::rule::Rule;
use super::status::next;
use crate::registry::Storage;
use crate::server::answered;
use crate::state::Server;
use crate::store::{Key, Scope};
use crate::strategy::{is_deleting, meta};

/// The field manager of the writes.
const MANAGER: &str = "kube-controller-manager";
/// The number of attempts of a write, if others write the object at the same time.
const ATTEMPTS: usize = 16;

/// The objects of one kind.
pub(super) struct Tending {
    server: Arc<Server>,
    rule: &'static Rule,
    storage: Storage,
    delay: Duration,
    /// The names of objects that never become ready.
    held: BTreeSet<String>,
    /// Called with the name of each object that became ready.
    on_ready: Box<dyn Fn(String) + Send + Sync>,
    /// The version up to which changes were read.
    cursor: u64,
    /// Objects by the time at which they are ready.
    due: VecDeque<(Instant, Key, Shape)>,
    /// The latest entry of each object in `due`.
    waiting: HashMap<Key, Shape>,
}

/// The identity of an object and of its spec.
type Shape = (String, Value);

fn shape(object: &Value) -> Shape {
    (meta(object, "uid").to_owned(), object["metadata"]["generation"].clone())
}

impl Tending {
    pub(super) fn new(
        server: Arc<Server>,
        rule: &'static Rule,
        delay: Duration,
        held: BTreeSet<String>,
        on_ready: impl Fn(String) + Send + Sync + 'static,
    ) -> Self {
        let storage = Storage::new(rule.group, rule.plural);
        let (due, waiting) = (VecDeque::new(), HashMap::new());
        Self { server, rule, storage, delay, held, on_ready: Box::new(on_ready), cursor: 0, due, waiting }
    }

    /// Returns the objects that have changed since the last call. After a restore of the cluster, these are all.
    fn changed(&mut self) -> Vec<Arc<Value>> {
        let store = &self.server.store;
        let changes = match self.cursor {
            0 => None,
            cursor if cursor > store.version() => None,
            cursor => store.changes(&self.storage, &Scope::default(), cursor).ok(),
        };
        if let Some((changes, tip)) = changes {
            self.cursor = tip;
            return changes.iter().filter_map(|change| change.new.clone()).collect();
        }
        let listing = store.list(&self.storage, None);
        self.cursor = listing.version;
        listing.items
    }

    /// Observes an object that is not ready, and schedules it.
    async fn look_at(&mut self, object: &Value) {
        let (key, shape) = ((meta(object, "namespace").to_owned(), meta(object, "name").to_owned()), shape(object));
        let is_held = self.held.contains(&key.1);
        let is_scheduled = self.waiting.get(&key) == Some(&shape);
        if is_scheduled || self.is_done(object, self.rule.ready) {
            return;
        }
        if is_held || !self.delay.is_zero() {
            self.write(&key, &shape, self.rule.observed).await;
        }
        if !is_held {
            self.waiting.insert(key.clone(), shape.clone());
            self.due.push_back((Instant::now() + self.delay, key, shape));
        }
    }

    /// Makes the objects ready that are due.
    async fn settle_due(&mut self) {
        while self.due.front().is_some_and(|(at, ..)| *at <= Instant::now()) {
            let Some((_, key, shape)) = self.due.pop_front() else { return };
            if self.waiting.get(&key) != Some(&shape) {
                continue;
            }
            self.waiting.remove(&key);
            if self.write(&key, &shape, self.rule.ready).await {
                (self.on_ready)(format!("{}/{}", key.0, key.1));
            }
        }
    }

    /// Returns whether the change would change nothing, or is not for this object.
    fn is_done(&self, object: &Value, change: fn(&Value, &str) -> Value) -> bool {
        let now = self.server.clock.stamp();
        is_deleting(object)
            || !(self.rule.is_active)(object)
            || next(&object["status"], change(object, &now), &now) == object["status"]
    }

    /// Changes the status of the object unless its spec has changed. Returns whether it was written.
    async fn write(&self, key: &Key, shape: &Shape, change: fn(&Value, &str) -> Value) -> bool {
        for _ in 0..ATTEMPTS {
            let Some(live) = self.server.store.get(&self.storage, key) else { return false };
            if self::shape(&live) != *shape || self.is_done(&live, change) {
                return false;
            }
            let now = self.server.clock.stamp();
            let mut object = Value::clone(&live);
            object["status"] = next(&live["status"], change(&live, &now), &now);
            match self.put(key, &object).await {
                409 => {}
                code => return code < 300,
            }
        }
        false
    }

    async fn put(&self, (namespace, name): &Key, object: &Value) -> u16 {
        let path = format!("{}?fieldManager={MANAGER}", self.rule.path(namespace, name));
        let request = Request::builder().method(Method::PUT).uri(path);
        let request = request.header(http::header::CONTENT_TYPE, "application/json");
        let Ok(request) = request.body(Bytes::from(object.to_string())) else { return 400 };
        let code = answered(&self.server, request).await.status().as_u16();
        if !matches!(code, 200 | 404 | 409) {
            tracing::error!(path = self.rule.path(namespace, name), code, "the settler's write was rejected");
        }
        code
    }
}

/// Writes the status of all objects of the kind, for ever.
pub(super) async fn tend(mut tending: Tending) {
    let server = Arc::clone(&tending.server);
    let mut restored = server.breaks.subscribe();
    let mut tip = server.store.follow(&tending.storage, &Scope::default());
    loop {
        tip.mark_unchanged();
        for object in tending.changed() {
            tending.look_at(&object).await;
        }
        tending.settle_due().await;
        let due = tending.due.front().map(|(at, ..)| *at);
        tokio::select! {
            biased;
            _ = restored.changed() => {
                tending.cursor = 0;
                tip = server.store.follow(&tending.storage, &Scope::default());
            }
            _ = tip.changed() => {}
            () = async { match due { Some(at) => sleep_until(at).await, None => pending().await } } => {}
        }
    }
}
