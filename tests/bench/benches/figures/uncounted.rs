//! The API server of the test kit, whose work is not counted.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use allocation_counter::opt_out;
use bytes::Bytes;
use evenkeel_testkit::Cluster;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use tokio::runtime::Runtime;
use tower::service_fn;

/// A cluster with a runtime of its own for its background tasks.
pub(crate) struct Server {
    runtime: Runtime,
    pub(crate) cluster: Cluster,
}

impl Server {
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let cluster = runtime.block_on(Cluster::start());
        Self { runtime, cluster }
    }

    /// Runs a future without counting, and blocks until it ends.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        let mut output = None;
        opt_out(|| {
            let _guard = self.runtime.enter();
            output = Some(block_on(future));
        });
        output.unwrap()
    }

    /// A client for the counted program. Each request is answered at once, so that the virtual time does not pass meanwhile.
    pub(crate) fn client(&self) -> Client {
        let inner = self.wait(async { self.cluster.client() });
        let handle = self.runtime.handle().clone();
        let service = service_fn(move |request: Request<Body>| {
            let (inner, handle) = (inner.clone(), handle.clone());
            async move {
                let (head, body) = request.into_parts();
                // In memory, so it is there at once.
                let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
                let mut answer = None;
                opt_out(|| {
                    let _guard = handle.enter();
                    let mut request = Request::new(Body::from(body.to_vec()));
                    *request.method_mut() = head.method.clone();
                    *request.uri_mut() = head.uri.to_string().parse().unwrap();
                    for (name, value) in &head.headers {
                        request.headers_mut().insert(name.clone(), value.to_str().unwrap().parse().unwrap());
                    }
                    answer = Some(block_on(inner.send(request)).expect("an answer"));
                });
                // The copies are counted, and freed by the program.
                let (theirs, body) = answer.unwrap().into_parts();
                let mut response = Response::new(Uncounted { body: Some(body), sent: Vec::new() });
                *response.status_mut() = theirs.status;
                for (name, value) in &theirs.headers {
                    let value = http::HeaderValue::from_bytes(value.as_bytes()).unwrap();
                    response
                        .headers_mut()
                        .insert(http::HeaderName::from_bytes(name.as_str().as_bytes()).unwrap(), value);
                }
                opt_out(move || drop(theirs));
                Ok::<_, Infallible>(response)
            }
        });
        Client::new(service, "default")
    }
}

/// Runs a future, and blocks the thread while it waits. The runtime of the counted program does not notice.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut future, mut cx) = (pin!(future), Context::from_waker(&waker));
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// A body whose bytes belong to the server.
struct Uncounted {
    body: Option<Body>,
    /// What was sent, so that the program frees nothing that was not counted.
    sent: Vec<Bytes>,
}

impl http_body::Body for Uncounted {
    type Data = Bytes;
    type Error = kube::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let mut polled = Poll::Pending;
        opt_out(|| {
            let this = &mut *self;
            let Some(body) = &mut this.body else { return };
            polled = Pin::new(body).poll_frame(cx);
            if let Poll::Ready(Some(Ok(frame))) = &polled
                && let Some(data) = frame.data_ref()
            {
                this.sent.push(data.clone());
            }
        });
        polled
    }
}

impl Drop for Uncounted {
    fn drop(&mut self) {
        // The program may still hold slices of it.
        opt_out(|| {
            std::mem::forget(std::mem::take(&mut self.sent));
            drop(self.body.take());
        });
    }
}
