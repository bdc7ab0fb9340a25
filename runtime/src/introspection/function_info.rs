//! The functions of an operator that API servers and users call, as its manifest and its contract show them.

use crate::kind::KindInfo;

/// A function that reviews writes.
pub(crate) struct ReviewInfo {
    pub(crate) kind: KindInfo,
    pub(crate) function: &'static str,
    pub(crate) mutates: bool,
    pub(crate) operations: Vec<&'static str>,
    pub(crate) failure: &'static str,
    pub(crate) subresource: Option<&'static str>,
}

/// A function that answers requests of users.
pub(crate) struct RouteInfo {
    pub(crate) kind: KindInfo,
    pub(crate) function: &'static str,
    pub(crate) method: &'static str,
    pub(crate) verb: &'static str,
    /// The path from the root of the server.
    pub(crate) path: String,
    /// The resource on which a user needs the verb.
    pub(crate) resource: String,
}
