//! The labels and annotations of an object that are not triggers of its reconciler.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Wiring;
use super::triggers::{Undeclared, is_own};

impl Wiring {
    /// The labels and annotations of an object whose changes neither trigger a reconcile nor affect the digest, unless
    /// the claim wrote them.
    #[must_use]
    pub fn undeclared(&self, meta: &ObjectMeta) -> Vec<Undeclared> {
        let labels = meta.labels.iter().flatten().map(|(name, _)| name.as_str());
        let annotations = meta.annotations.iter().flatten().map(|(name, _)| name.as_str());
        self.undeclared_of(labels, annotations)
    }

    /// Like [`undeclared`](Self::undeclared), for these labels and annotations.
    pub(crate) fn undeclared_of<'a>(
        &self,
        labels: impl Iterator<Item = &'a str>,
        annotations: impl Iterator<Item = &'a str>,
    ) -> Vec<Undeclared> {
        let policy = self.policies.map(|policies| policies.key);
        let labels = labels.filter(|name| !self.triggers.labels.has(name));
        let annotations = annotations.filter(|name| !self.triggers.annotations.has(name));
        let annotations = annotations.filter(|name| !is_own(name, self.request_annotation, policy));
        let labels = labels.map(|name| Undeclared::Label(name.to_owned()));
        labels.chain(annotations.map(|name| Undeclared::Annotation(name.to_owned()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::triggers::{LAST_APPLIED, Names, Triggers};
    use super::*;

    fn meta() -> ObjectMeta {
        let pairs = |names: &[&str]| Some(names.iter().map(|name| ((*name).to_owned(), String::new())).collect());
        ObjectMeta {
            labels: pairs(&["tier", "zone"]),
            annotations: pairs(&["note", "tier", "example.com/now", "evenkeel.dev/suspend", LAST_APPLIED]),
            ..ObjectMeta::default()
        }
    }

    #[test]
    fn all_labels_and_annotations_count_unless_declared() {
        assert!(Wiring::EMPTY.undeclared(&meta()).is_empty());
        assert_eq!(Triggers::ALL.to_string(), ", its labels, its annotations");
        assert_eq!(Triggers::ALL.declared(), None);
    }

    #[test]
    fn undeclared_names_are_printed_as_declarations() {
        let triggers = Triggers { labels: Names::Only(&["tier"]), annotations: Names::Only(&[]) };
        let wiring = Wiring { triggers, request_annotation: "example.com/now", ..Wiring::EMPTY };
        let undeclared: Vec<_> = wiring.undeclared(&meta()).iter().map(ToString::to_string).collect();
        assert_eq!(undeclared, [r#"labels("zone")"#, r#"annotations("note")"#, r#"annotations("tier")"#]);
        assert_eq!(triggers.to_string(), ", its label `tier`");
        assert_eq!(triggers.declared().as_deref(), Some(r#"triggers(spec, labels("tier"))"#));
        let declared = triggers.declared_with(wiring.undeclared(&meta()).iter());
        assert_eq!(declared, r#"triggers(spec, labels("tier", "zone"), annotations("note", "tier"))"#);
    }
}
