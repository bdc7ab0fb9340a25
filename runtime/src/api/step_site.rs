//! Where and as whom the calls of a step act.

use std::fmt;
use std::sync::Arc;

use super::Identity;
use crate::dependent_rules::manifest::Digest;

/// Where and as whom the calls of a step act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepSite {
    /// In the cluster of the operator, with its rights.
    Here,
    /// In the cluster of the operator, with the rights of this user.
    HereAs {
        /// The user.
        user: Identity,
        /// Whether the operator deletes what the user may not delete any more, once the component is deleted.
        last_resort: bool,
    },
    /// In the cluster of this kubeconfig, with the rights of its user.
    Elsewhere(Kubeconfig),
}

/// The text of a kubeconfig. It contains credentials, so it is never printed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Kubeconfig {
    text: Arc<str>,
    digest: Arc<str>,
}

impl Kubeconfig {
    /// The kubeconfig with this text, which has not been parsed yet.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.into(), digest: Digest::of_value(&text.into()).to_string().into() }
    }

    /// The text.
    #[cfg(feature = "operator")]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Kubeconfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kubeconfig({})", self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kubeconfig_is_never_printed() {
        let (one, other) = (Kubeconfig::new("token: one"), Kubeconfig::new("token: other"));
        assert!(!format!("{one:?}").contains("token"), "{one:?}");
        assert_ne!(format!("{one:?}"), format!("{other:?}"));
        assert_ne!(one, other);
        assert_eq!(one, Kubeconfig::new("token: one"));
    }
}
