//! The two transports: a tower service for `kube::Client`, and HTTP on a loopback port.

pub(crate) mod arrival;
pub(crate) mod http;
pub(crate) mod inprocess;
