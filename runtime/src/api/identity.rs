//! The user whose rights the calls of a step have.

use http::HeaderMap;
use http::header::{HeaderName, HeaderValue, InvalidHeaderValue};

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");

/// A user that the operator impersonates, with groups that the API server does not add by itself.
///
/// Source: <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation>.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(HeaderMap);

impl Identity {
    /// The user with this name.
    ///
    /// # Errors
    /// A name has a character that a header cannot have.
    pub(crate) fn new(user: &str, groups: &[String]) -> Result<Self, InvalidHeaderValue> {
        let mut headers = HeaderMap::new();
        headers.insert(USER, HeaderValue::from_str(user)?);
        for group in groups {
            headers.append(GROUP, HeaderValue::from_str(group)?);
        }
        Ok(Self(headers))
    }

    /// The headers of a request in the name of this user.
    pub(crate) const fn headers(&self) -> &HeaderMap {
        &self.0
    }
}
