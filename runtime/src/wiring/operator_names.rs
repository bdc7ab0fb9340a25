//! The names of an operator: its own, those of earlier versions, and the domain under which it marks objects.

use std::sync::Arc;

use super::Wiring;
use super::annotations::DOMAIN;
#[cfg(feature = "dependents")]
use super::annotations::{OPERATOR, key_under};

/// The names of an operator.
#[derive(Clone, Debug)]
pub(crate) struct OperatorNames {
    pub(crate) name: Arc<str>,
    /// The names of earlier versions.
    pub(crate) former: Arc<[String]>,
    /// The domain of the labels and annotations by which it finds its objects.
    pub(crate) domain: Arc<str>,
}

impl OperatorNames {
    /// An operator that never had another name.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), former: Arc::default(), domain: DOMAIN.into() }
    }

    /// The names under which a reconciler may have worked in earlier versions, as operator and reconciler.
    fn former_of<'a>(&'a self, wiring: &Wiring) -> impl Iterator<Item = (&'a str, &'static str)> {
        let reconcilers: Vec<_> =
            [wiring.name].into_iter().chain(wiring.previously.reconcilers.iter().copied()).collect();
        let operators = [&*self.name].into_iter().chain(self.former.iter().map(String::as_str));
        operators.flat_map(move |operator| reconcilers.clone().into_iter().map(move |name| (operator, name))).skip(1)
    }

    /// The field managers of earlier versions of a reconciler.
    pub(crate) fn former_managers(&self, wiring: &Wiring) -> Vec<String> {
        let named = |(operator, name)| Wiring { name, ..*wiring }.field_manager_under(operator);
        let own = wiring.field_manager_under(&self.name);
        self.former_of(wiring).map(named).filter(|manager| *manager != own).collect()
    }

    /// The finalizers of earlier versions of a reconciler of this group.
    pub(crate) fn former_finalizers(&self, wiring: &Wiring, group: &str) -> Vec<String> {
        let named = |(operator, name)| Wiring { name, ..*wiring }.finalizer_under(operator, group);
        let own = wiring.finalizer_under(&self.name, group);
        self.former_of(wiring).map(named).filter(|finalizer| *finalizer != own).collect()
    }

    /// The label selector of all dependents of the operator.
    #[cfg(feature = "dependents")]
    pub(crate) fn selector(&self) -> String {
        let key = key_under(&self.domain, OPERATOR);
        match &*self.former {
            [] => format!("{key}={}", self.name),
            former => format!("{key} in ({},{})", self.name, former.join(",")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wiring::Previously;

    const WIRING: Wiring = Wiring {
        name: "shop",
        previously: Previously { reconcilers: &["store"], ..Wiring::EMPTY.previously },
        ..Wiring::EMPTY
    };

    fn names() -> OperatorNames {
        OperatorNames { former: [String::from("old")].into(), ..OperatorNames::new("op") }
    }

    #[test]
    fn earlier_names_of_operator_and_reconciler_are_combined() {
        assert_eq!(names().former_managers(&WIRING), ["op/store", "old/shop", "old/store"]);
        // The name of the reconciler is no part of it.
        assert_eq!(names().former_finalizers(&WIRING, "example.com"), ["example.com/old", "example.com/old"]);
        let second = Wiring { summary: Some("Stored"), ..WIRING };
        assert_eq!(
            names().former_finalizers(&second, "a.dev"),
            ["a.dev/op-store", "a.dev/old-shop", "a.dev/old-store"]
        );
        let fixed = Wiring { field_manager: Some("x"), finalizer: Some("a.dev/x"), ..WIRING };
        assert!(names().former_managers(&fixed).is_empty() && names().former_finalizers(&fixed, "a.dev").is_empty());
    }

    #[cfg(feature = "dependents")]
    #[test]
    fn the_selector_contains_earlier_names() {
        assert_eq!(OperatorNames::new("op").selector(), "evenkeel.dev/operator=op");
        let moved = OperatorNames { domain: "corp.example".into(), ..names() };
        assert_eq!(moved.selector(), "corp.example/operator in (op,old)");
    }
}
