//! The receipts of requests, as the status keeps them.

use std::collections::BTreeMap;

use crate::status::StatusContract;

/// What was handled last. Left alone where nothing is asked for, so that taking an annotation off costs no write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    /// `lastHandledReconcileAt`: the token of the last pass that was asked for.
    pub reconcile: Option<String>,
}

impl Receipts {
    /// Those that the status holds.
    #[must_use]
    pub fn of<S: StatusContract>(status: &S) -> Self {
        Self { reconcile: status.last_handled_reconcile_at().map(ToOwned::to_owned) }
    }

    /// Whether the annotation asks for a pass that has not been.
    #[must_use]
    pub fn awaits(&self, requested: &str, annotations: &BTreeMap<String, String>) -> bool {
        super::is_requested(self.reconcile.as_deref(), annotations.get(requested).map(String::as_str))
    }

    /// The receipts of a pass that saw these annotations.
    #[must_use]
    pub fn after(&self, requested: &str, annotations: &BTreeMap<String, String>) -> Self {
        Self { reconcile: annotations.get(requested).or(self.reconcile.as_ref()).cloned() }
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
    fn a_token_is_awaited_until_its_receipt_is_there() {
        let none = Receipts::default();
        for token in ["now", "", "  "] {
            assert!(none.awaits(REQUESTED_AT, &annotated(token)));
            let after = none.after(REQUESTED_AT, &annotated(token));
            assert_eq!(after.reconcile.as_deref(), Some(token), "word for word");
            assert!(!after.awaits(REQUESTED_AT, &annotated(token)));
        }
    }

    #[test]
    fn taking_the_annotation_off_changes_no_receipt() {
        let held = Receipts { reconcile: Some("now".into()) };
        assert!(!held.awaits(REQUESTED_AT, &BTreeMap::new()));
        assert_eq!(held.after(REQUESTED_AT, &BTreeMap::new()), held);
    }
}
