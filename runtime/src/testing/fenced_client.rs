//! Clients for tests of replicas.

use bytes::Bytes;
use http::{Request, Response};
use kube::Client;
use tower::{BoxError, Service};

use crate::client::{Fenced, fenced_over};

/// Builds a client over an HTTP client of a test, for an operator with [replicas](crate::Operator::replicas).
///
/// It holds writes back as the client of a running replica does: the body of a write is readable only while the replica leads.
/// [`Operator::test_client`](crate::Operator::test_client) accepts it. Its default namespace is `default`.
///
/// ```
/// use evenkeel::Operator;
/// use evenkeel::testing::fenced_client;
/// use evenkeel_testkit::Cluster;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let cluster = Cluster::start().await;
/// let [one, other] = ["one", "other"].map(|replica| {
///     let client = fenced_client(cluster.service_of(replica));
///     Operator::new("shop").test_client(client).replicas()
/// });
/// // While `one` is paused, `other` takes over.
/// cluster.pause("one");
/// # drop((one, other));
/// # }
/// ```
pub fn fenced_client<S, B>(http: S) -> Client
where
    S: Service<Request<Fenced>, Response = Response<B>, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    fenced_over(http)
}
