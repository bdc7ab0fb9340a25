//! The two ways in: a tower service for `kube::Client`, and HTTP on the loopback.

pub(crate) mod http;
pub(crate) mod inprocess;
