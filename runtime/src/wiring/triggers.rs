//! The labels and annotations that trigger a reconcile: all of them, unless the reconciler declares which.

use std::fmt;

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
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The framework's own annotations have triggers of their own.
const OURS: &str = "evenkeel.dev/";

/// Whether the annotation has a meaning of its own: a change of it is no change of what a body reads.
pub(crate) fn is_own(name: &str, request_annotation: &str, policy: Option<&str>) -> bool {
    name == request_annotation || Some(name) == policy || name.starts_with(OURS) || name == LAST_APPLIED
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
