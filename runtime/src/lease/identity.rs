//! The identity of this process among the replicas.

use std::sync::Arc;

use crate::random::word;

/// The name of the pod or of the machine, and a random part: a second process of the same pod is another candidate.
pub(crate) fn identity() -> Arc<str> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let host = variable("POD_NAME").or_else(|| variable("HOSTNAME")).unwrap_or_else(host);
    format!("{host}_{:016x}", word()).into()
}

/// The name of the machine, where no variable has it.
fn host() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = named.or_else(|| std::env::var("COMPUTERNAME").ok()).map(|name| name.trim().to_owned());
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".to_owned())
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
