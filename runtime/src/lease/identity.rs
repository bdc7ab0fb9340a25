//! The identity of this process among the replicas.

use std::sync::Arc;

use crate::random::word;

/// The name of the pod or of the machine, and a random part: a second process of the same pod is another candidate.
pub(crate) fn identity() -> Arc<str> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let host = variable("POD_NAME").or_else(|| variable("HOSTNAME")).unwrap_or_else(host);
    format!("{host}_{:016x}", word()).into()
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_has_its_own_identity() {
        let (one, other) = (identity(), identity());
        let host = |identity: &str| identity.rsplit_once('_').map(|(host, _)| host.to_owned());
        assert_ne!(one, other);
        assert_eq!(host(&one), host(&other));
        assert!(!host(&one).unwrap().is_empty());
    }
}
