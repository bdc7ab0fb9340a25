//! The request that a route answers.

use std::fmt;

use k8s_openapi::api::authentication::v1::UserInfo;
use serde::de::DeserializeOwned;

use super::reply::Reply;
use crate::wiring::route::Method;

/// A request, without the credentials of its user.
pub(crate) struct UserRequest {
    pub(crate) user: UserInfo,
    pub(crate) method: Method,
    pub(crate) params: Vec<(&'static str, String)>,
    pub(crate) query: Vec<(String, String)>,
    /// The names are in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// The request that a `#[route]` function answers: `request: Call<'_>`.
///
/// Its user is authenticated, and may use the verb of the method on the resource of the route. The request has no credentials: the headers
/// `Authorization`, `Proxy-Authorization`, `Cookie` and `Sec-WebSocket-Protocol` are removed, as are those that begin with `Impersonate-` or
/// `X-Remote-`.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    request: &'c UserRequest,
}

impl<'c> Call<'c> {
    #[cfg(feature = "routes")]
    pub(crate) const fn new(request: &'c UserRequest) -> Self {
        Self { request }
    }

    /// The user who sends the request.
    #[must_use]
    pub fn user(&self) -> &'c UserInfo {
        &self.request.user
    }

    /// The method of the request.
    #[must_use]
    pub fn method(&self) -> Method {
        self.request.method
    }

    /// The part of the path at `{name}`, decoded. Empty if the path of the route has no such part.
    ///
    /// A literal that is not in the path does not compile. The text may contain any character: check it before it becomes the name of a file.
    #[must_use]
    pub fn param(&self, name: &str) -> &'c str {
        let found = self.request.params.iter().find(|(one, _)| *one == name);
        found.map(|(_, value)| &**value).unwrap_or_default()
    }

    /// The first value of this name in the query, decoded.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<&'c str> {
        self.queries().find(|(one, _)| *one == name).map(|(_, value)| value)
    }

    /// All names and values of the query, decoded.
    pub fn queries(&self) -> impl Iterator<Item = (&'c str, &'c str)> + use<'c> {
        self.request.query.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The first value of a header, whose name may have any case. `None` for a header with credentials, or a value that is not text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'c str> {
        let found = self.request.headers.iter().find(|(one, _)| one.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }

    /// The body, of at most 1 MiB.
    #[must_use]
    pub fn body(&self) -> &'c [u8] {
        &self.request.body
    }

    /// The body, decoded from JSON.
    ///
    /// # Errors
    /// It is not JSON of this type. The error answers 400 with the place of the mistake.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Reply> {
        serde_json::from_slice(self.body())
            .map_err(|error| Reply::error(400, format!("the body cannot be decoded: {error}")))
    }
}

/// Shows no body and no header.
impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UserRequest { user, method, params, .. } = self.request;
        let user = user.username.as_deref().unwrap_or_default();
        f.debug_struct("Call")
            .field("method", method)
            .field("params", params)
            .field("user", &user)
            .finish_non_exhaustive()
    }
}
