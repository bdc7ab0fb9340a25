//! The labels and annotations that trigger a reconcile: all of them, unless the reconciler declares which.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::wiring::Wiring;

/// What triggers a reconcile beside the spec and the deletion of an object, as `#[reconciler(triggers(..))]` declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triggers {
    /// The labels.
    pub labels: Names,
    /// The annotations. Those with a meaning of their own (requests, suspension, policies) trigger by that.
    pub annotations: Names,
}

/// A set of labels or annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// All of them.
    All,
    /// These, by their whole keys.
    Only(&'static [&'static str]),
}

impl Triggers {
    /// All labels and annotations: what counts unless declared, since a body sees the whole object.
    pub const ALL: Self = Self { labels: Names::All, annotations: Names::All };
}

impl Triggers {
    /// The argument of the attribute that declares these and those: `triggers(spec, labels("tier"), annotations)`.
    #[must_use]
    pub fn declared_with<'a>(&self, more: impl Iterator<Item = &'a Undeclared> + Clone) -> String {
        let labels = more.clone().filter_map(|one| match one {
            Undeclared::Label(name) => Some(name.as_str()),
            Undeclared::Annotation(_) => None,
        });
        let annotations = more.filter_map(|one| match one {
            Undeclared::Label(_) => None,
            Undeclared::Annotation(name) => Some(name.as_str()),
        });
        let both =
            [self.labels.declared_with("labels", labels), self.annotations.declared_with("annotations", annotations)];
        format!("triggers(spec{})", both.concat())
    }

    /// The argument of the attribute; `None` where it is not given.
    #[must_use]
    pub fn declared(&self) -> Option<String> {
        (*self != Self::ALL).then(|| self.declared_with(std::iter::empty()))
    }
}

impl Names {
    /// `, labels("tier")`, with these names as well.
    fn declared_with<'a>(self, word: &str, more: impl Iterator<Item = &'a str>) -> String {
        let Self::Only(names) = self else { return format!(", {word}") };
        let names: Vec<String> = names.iter().copied().chain(more).map(|name| format!("\"{name}\"")).collect();
        if names.is_empty() { String::new() } else { format!(", {word}({})", names.join(", ")) }
    }

    /// Whether the set has the name.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(&name),
        }
    }

    /// `its labels`, or `its labels a and b`; `None`: there are none.
    fn said(self, what: &str) -> Option<String> {
        match self {
            Self::All => Some(format!("its {what}s")),
            Self::Only([]) => None,
            Self::Only([one]) => Some(format!("its {what} `{one}`")),
            Self::Only(several) => Some(format!("its {what}s `{}`", several.join("`, `"))),
        }
    }
}

impl fmt::Display for Triggers {
    /// What triggers beside the spec: `, its labels, its annotation `example.com/tier``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = [self.labels.said("label"), self.annotations.said("annotation")];
        said.into_iter().flatten().try_for_each(|said| write!(f, ", {said}"))
    }
}

/// kubectl's copy of what was applied: the spec and metadata that it repeats count themselves.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The framework's own annotations have causes of their own.
const OURS: &str = "evenkeel.dev/";

/// Whether the annotation has a meaning of its own: a change of it is no change of what a body reads.
pub(crate) fn is_own(name: &str, requested: &str, policy: Option<&str>) -> bool {
    name == requested || Some(name) == policy || name.starts_with(OURS) || name == LAST_APPLIED
}

const LABELS: &str = "labels/";
const ANNOTATIONS: &str = "annotations/";

/// The labels and annotations that count for one object: those that the reconciler declares, and those that its claim wrote, as
/// `observedInputs.claimed` lists them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<'a> {
    pub(crate) triggers: Triggers,
    pub(crate) claimed: &'a [String],
}

impl Counted<'_> {
    pub(crate) fn has_label(self, name: &str) -> bool {
        self.triggers.labels.has(name) || self.is_claimed(LABELS, name)
    }

    pub(crate) fn has_annotation(self, name: &str) -> bool {
        self.triggers.annotations.has(name) || self.is_claimed(ANNOTATIONS, name)
    }

    fn is_claimed(self, what: &str, name: &str) -> bool {
        self.claimed.iter().any(|claimed| claimed.strip_prefix(what) == Some(name))
    }
}

/// A label or an annotation, as an argument of `triggers(..)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undeclared {
    /// A label.
    Label(String),
    /// An annotation.
    Annotation(String),
}

impl Undeclared {
    /// `labels/example.com/tier`, as the status lists it.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::Label(name) => format!("{LABELS}{name}"),
            Self::Annotation(name) => format!("{ANNOTATIONS}{name}"),
        }
    }
}

impl fmt::Display for Undeclared {
    /// `labels("example.com/tier")`, as it is declared.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(name) => write!(f, "labels(\"{name}\")"),
            Self::Annotation(name) => write!(f, "annotations(\"{name}\")"),
        }
    }
}

impl Wiring {
    /// The labels and annotations of an object of which a change neither triggers a reconcile nor counts in the digest, unless the claim
    /// wrote them.
    #[must_use]
    pub fn undeclared(&self, meta: &ObjectMeta) -> Vec<Undeclared> {
        let labels = meta.labels.iter().flatten().map(|(name, _)| name.as_str());
        let annotations = meta.annotations.iter().flatten().map(|(name, _)| name.as_str());
        self.undeclared_of(labels, annotations)
    }

    /// The same of these labels and annotations.
    pub(crate) fn undeclared_of<'a>(
        &self,
        labels: impl Iterator<Item = &'a str>,
        annotations: impl Iterator<Item = &'a str>,
    ) -> Vec<Undeclared> {
        let policy = self.policies.map(|policies| policies.key);
        let labels = labels.filter(|name| !self.triggers.labels.has(name));
        let annotations = annotations.filter(|name| !self.triggers.annotations.has(name));
        let annotations = annotations.filter(|name| !is_own(name, self.requested, policy));
        let labels = labels.map(|name| Undeclared::Label(name.to_owned()));
        labels.chain(annotations.map(|name| Undeclared::Annotation(name.to_owned()))).collect()
    }
}

#[cfg(test)]
mod tests {
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
    fn what_is_not_declared_is_named_as_it_would_be() {
        let triggers = Triggers { labels: Names::Only(&["tier"]), annotations: Names::Only(&[]) };
        let wiring = Wiring { triggers, requested: "example.com/now", ..Wiring::EMPTY };
        let undeclared: Vec<_> = wiring.undeclared(&meta()).iter().map(ToString::to_string).collect();
        assert_eq!(undeclared, [r#"labels("zone")"#, r#"annotations("note")"#, r#"annotations("tier")"#]);
        assert_eq!(triggers.to_string(), ", its label `tier`");
        assert_eq!(triggers.declared().as_deref(), Some(r#"triggers(spec, labels("tier"))"#));
        let declared = triggers.declared_with(wiring.undeclared(&meta()).iter());
        assert_eq!(declared, r#"triggers(spec, labels("tier", "zone"), annotations("note", "tier"))"#);
    }
}
