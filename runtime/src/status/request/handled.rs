//! The handled tokens of requests in the status.

use std::collections::BTreeMap;

use crate::status::contract::StatusContract;
use crate::status::erased::AnyStatus;
use crate::wiring::Wiring;

/// The handled tokens. They stay unchanged without a request, so that removing an annotation causes no write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    /// `lastHandledReconcileAt`: the token of the last requested pass.
    pub reconcile: Option<String>,
    /// `lastHandledActions`: the token that the annotation of each one-shot action had, whether or not the action fired.
    pub actions: BTreeMap<String, String>,
}

impl Receipts {
    /// The handled tokens in the status, limited to the actions that this wiring declares.
    #[must_use]
    pub fn of<S: StatusContract>(status: &S, wiring: &Wiring) -> Self {
        Self::in_status(status, wiring)
    }

    /// The same for a type-erased status.
    pub(crate) fn in_status(status: &dyn AnyStatus, wiring: &Wiring) -> Self {
        let declared = |handled: &BTreeMap<String, String>| {
            let handled = wiring.actions().filter_map(|action| handled.get_key_value(action));
            handled.map(|(action, token)| (action.clone(), token.clone())).collect()
        };
        Self {
            reconcile: status.last_handled_reconcile_at().map(ToOwned::to_owned),
            actions: status.last_handled_actions().filter(|held| !held.is_empty()).map(declared).unwrap_or_default(),
        }
    }

    /// Whether the annotation requests a pass that has not run yet.
    #[must_use]
    pub fn awaits(&self, requested: &str, annotations: &BTreeMap<String, String>) -> bool {
        super::is_requested(self.reconcile.as_deref(), annotations.get(requested).map(String::as_str))
    }

    /// The handled tokens after a pass that saw these annotations.
    #[must_use]
    pub fn after(&self, wiring: &Wiring, annotations: &BTreeMap<String, String>) -> Self {
        let mut actions = self.actions.clone();
        for action in wiring.actions() {
            if let Some(token) = annotations.get(&super::annotation(action)) {
                actions.insert(action.to_owned(), token.clone());
            }
        }
        Self { reconcile: annotations.get(wiring.request_annotation).or(self.reconcile.as_ref()).cloned(), actions }
    }

    /// The one-shot actions that fire in a pass that sees these annotations.
    #[must_use]
    pub fn fired(&self, wiring: &Wiring, annotations: &BTreeMap<String, String>) -> Vec<&'static str> {
        let token = |annotation: &str| annotations.get(annotation).map(String::as_str);
        let fires = |action: &&'static str| {
            let handled = self.actions.get(*action).map(String::as_str);
            super::fires(
                token(&super::annotation(action)),
                token(wiring.request_annotation),
                self.reconcile.as_deref(),
                handled,
            )
        };
        wiring.actions().filter(fires).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::REQUESTED_AT;
    use super::*;

    fn annotated(token: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(REQUESTED_AT.to_owned(), token.to_owned())])
    }

    #[test]
    fn a_token_is_pending_until_it_is_handled() {
        let none = Receipts::default();
        for token in ["now", "", "  "] {
            assert!(none.awaits(REQUESTED_AT, &annotated(token)));
            let after = none.after(&Wiring::EMPTY, &annotated(token));
            assert_eq!(after.reconcile.as_deref(), Some(token), "word for word");
            assert!(!after.awaits(REQUESTED_AT, &annotated(token)));
        }
    }

    #[test]
    fn removing_the_annotation_retains_the_handled_token() {
        let held = Receipts { reconcile: Some("now".into()), ..Receipts::default() };
        assert!(!held.awaits(REQUESTED_AT, &BTreeMap::new()));
        assert_eq!(held.after(&Wiring::EMPTY, &BTreeMap::new()), held);
    }
}
