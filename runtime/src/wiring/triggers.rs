//! The labels and annotations that trigger a reconcile: all of them, unless the reconciler declares some.

use std::fmt;

/// The triggers besides the spec and the deletion of an object, as `#[reconciler(triggers(..))]` declares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triggers {
    /// The labels that trigger a reconcile.
    pub labels: Names,
    /// The annotations that trigger a reconcile. The framework's own annotations (requests, suspension, policies)
    /// always do.
    pub annotations: Names,
}

/// A set of labels or annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// All keys.
    All,
    /// These keys, in full.
    Only(&'static [&'static str]),
}

impl Triggers {
    /// All labels and annotations. This is the default, since a body sees the whole object.
    pub const ALL: Self = Self { labels: Names::All, annotations: Names::All };
}

impl Triggers {
    /// Prints the argument that declares these triggers and `more`: `triggers(spec, labels("tier"), annotations)`.
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

    /// Prints the argument as it is declared. Returns `None` if the triggers are not declared.
    #[must_use]
    pub fn declared(&self) -> Option<String> {
        (*self != Self::ALL).then(|| self.declared_with(std::iter::empty()))
    }
}

impl Names {
    /// Prints `, labels("tier")`, including the names in `more`.
    fn declared_with<'a>(self, word: &str, more: impl Iterator<Item = &'a str>) -> String {
        let Self::Only(names) = self else { return format!(", {word}") };
        let names: Vec<String> = names.iter().copied().chain(more).map(|name| format!("\"{name}\"")).collect();
        if names.is_empty() { String::new() } else { format!(", {word}({})", names.join(", ")) }
    }

    /// Whether the set contains the key.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(&name),
        }
    }

    /// Prints `its labels`, or `its labels a and b`. Returns `None` if the set is empty.
    fn describe(self, what: &str) -> Option<String> {
        match self {
            Self::All => Some(format!("its {what}s")),
            Self::Only([]) => None,
            Self::Only([one]) => Some(format!("its {what} `{one}`")),
            Self::Only(several) => Some(format!("its {what}s `{}`", several.join("`, `"))),
        }
    }
}

impl fmt::Display for Triggers {
    /// Prints the triggers besides the spec: `, its labels, its annotation `example.com/tier``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.labels.describe("label"), self.annotations.describe("annotation")];
        parts.into_iter().flatten().try_for_each(|part| write!(f, ", {part}"))
    }
}

/// A copy of the applied manifest, by kubectl. The spec and metadata that it repeats trigger a reconcile themselves.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The prefix of the framework's own annotations, which have their own triggers.
const OURS: &str = "evenkeel.dev/";

/// Whether the annotation belongs to the framework or kubectl, so that a change to it does not affect the input of a
/// body.
pub(crate) fn is_own(name: &str, request_annotation: &str, policy: Option<&str>) -> bool {
    is_framework(name, request_annotation, policy) || name == LAST_APPLIED
}

/// Whether the annotation belongs to the framework.
pub(crate) fn is_framework(name: &str, request_annotation: &str, policy: Option<&str>) -> bool {
    name == request_annotation || Some(name) == policy || name.starts_with(OURS)
}

const LABELS: &str = "labels/";
const ANNOTATIONS: &str = "annotations/";

/// The labels and annotations that count for one object: those that the reconciler declares, and those that its claim
/// wrote (`observedInputs.claimed`).
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
    /// The key of a label.
    Label(String),
    /// The key of an annotation.
    Annotation(String),
}

impl Undeclared {
    /// Formats the key as in the status: `labels/example.com/tier`.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::Label(name) => format!("{LABELS}{name}"),
            Self::Annotation(name) => format!("{ANNOTATIONS}{name}"),
        }
    }
}

impl fmt::Display for Undeclared {
    /// Formats the key as in the declaration: `labels("example.com/tier")`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(name) => write!(f, "labels(\"{name}\")"),
            Self::Annotation(name) => write!(f, "annotations(\"{name}\")"),
        }
    }
}
