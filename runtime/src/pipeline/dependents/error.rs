//! Why a set of dependents is not as it should be.

use std::fmt;
use std::time::Duration;

use crate::api::{ApiError, FOREIGN};
use crate::dependent_rules::manifest::InvalidManifest;
use crate::outcome::reporting::{Actions, VariantInfo, join_variants};
use crate::outcome::{Class, ReconcileError};

/// Why a set of dependents is not as it should be, or not yet.
///
/// An error type of a step takes it with `#[class(transparent)]`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DependentsError {
    /// A manifest cannot be applied, whatever the state of the cluster.
    ManifestInvalid(InvalidManifest),
    /// A template or a source cannot be rendered. Contains its name, the line and the cause.
    RenderFailed(String),
    /// A source cannot be rendered now. Contains its name and the cause.
    SourceFailed(String),
    /// The site of the step is invalid, or is another one than that of the existing objects. Contains the cause and the cure.
    SiteInvalid(String),
    /// The cluster of the site of the step does not answer. Contains the cause.
    SiteUnreachable(String),
    /// The API server refuses to change a field of an existing object.
    FieldImmutable(String),
    /// The API server does not store an object of this size.
    ObjectTooLarge(String),
    /// A quota of the namespace of an object is used up.
    QuotaExceeded(String),
    /// An object of another owner has the name of a dependent. Contains which one, and when it is looked at again if no watch shows its end.
    Foreign(String, Option<Duration>),
    /// A call failed.
    Call(ApiError),
    /// Objects are not ready yet, or are being deleted. Contains what is waited for, and the time until the set counts as late.
    Progressing(String, Option<Duration>),
    /// The controller of an object failed. Contains which one and why, and the time until the set counts as late.
    Failed(String, Option<Duration>),
    /// Objects have not become ready in time.
    TimedOut(String),
    /// The namespace of an object does not exist, and the policy is not to create it.
    NamespaceMissing {
        /// The namespace.
        namespace: String,
        /// The object, and what to do.
        text: String,
    },
    /// The namespace of an object is being deleted, so the object cannot be created. Contains the object and the namespace.
    NamespaceTerminating(String),
    /// The API server does not serve the kind of an object, or does not serve it yet. Contains the object, and when it is tried again.
    KindMissing(String, Duration),
    /// Objects of others would be deleted with a dependent, so nothing is deleted. Contains which ones, and what to do.
    Blocked(String),
}

impl DependentsError {
    /// Whether all objects are applied, and only some of them are not ready.
    #[must_use]
    pub const fn is_about_readiness(&self) -> bool {
        matches!(self, Self::Progressing(..) | Self::Failed(..) | Self::TimedOut(_))
    }
}

impl From<InvalidManifest> for DependentsError {
    fn from(error: InvalidManifest) -> Self {
        Self::ManifestInvalid(error)
    }
}

impl From<ApiError> for DependentsError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Foreign(text) => Self::Foreign(text.to_string(), None),
            other => Self::Call(other),
        }
    }
}

impl fmt::Display for DependentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ManifestInvalid(error) => error.fmt(f),
            Self::Call(error) => error.fmt(f),
            Self::RenderFailed(text)
            | Self::SourceFailed(text)
            | Self::SiteInvalid(text)
            | Self::SiteUnreachable(text)
            | Self::FieldImmutable(text)
            | Self::ObjectTooLarge(text)
            | Self::QuotaExceeded(text)
            | Self::Foreign(text, _)
            | Self::Progressing(text, _)
            | Self::Failed(text, _)
            | Self::TimedOut(text)
            | Self::NamespaceTerminating(text)
            | Self::NamespaceMissing { text, .. }
            | Self::KindMissing(text, _)
            | Self::Blocked(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for DependentsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::ManifestInvalid(error) => Some(error),
            Self::Call(error) => Some(error),
            _ => None,
        }
    }
}

const INVALID: &str = "ManifestInvalid";
const RENDER: &str = "RenderFailed";
const SOURCE: &str = "SourceFailed";
const SITE: &str = "SiteInvalid";
const UNREACHABLE: &str = "SiteUnreachable";
const IMMUTABLE: &str = "FieldImmutable";
const LARGE: &str = "ObjectTooLarge";
const QUOTA: &str = "QuotaExceeded";
const PROGRESSING: &str = "DependentsProgressing";
const FAILED: &str = "DependentFailed";
const LATE: &str = "DependentsTimedOut";
const NAMESPACE: &str = "NamespaceMissing";
const KIND: &str = "KindMissing";
const BLOCKED: &str = "DeletionBlocked";

/// When a pass looks again at what no watch of the operator shows.
pub(super) const AGAIN: Duration = Duration::from_secs(30);

const OWN: &[VariantInfo] = &[
    VariantInfo::new(
        INVALID,
        "stalled",
        "A manifest cannot be applied, whatever the state of the cluster; the message names the object, the field and the cure.\n\n\
         Correct the field that the message names, in the manifest or in the spec from which it is rendered.",
        Actions::STALLED,
    ),
    VariantInfo::new(
        RENDER,
        "stalled",
        "A template or a source cannot be rendered; the message names the file, the line and the cause.\n\n\
         Correct the template at the line that the message names, or the value that it uses.",
        Actions::STALLED,
    ),
    VariantInfo::new(
        SOURCE,
        "transient",
        "A source cannot be rendered now; the message names it and the cause. It is tried again with back-off.\n\n\
         None if it passes. Otherwise check the source that the message names.",
        Actions::TRANSIENT,
    ),
    VariantInfo::new(
        SITE,
        "stalled",
        "The site of a step is invalid, or leads to another cluster than that of the existing objects; the message says what is wrong with it.\n\n\
         Correct the kubeconfig, the service account or the namespace that the message names. For existing objects, lead the \
         site back to their cluster.",
        Actions::STALLED,
    ),
    VariantInfo::new(
        UNREACHABLE,
        "transient",
        "The cluster of the site of a step does not answer. It is tried again with back-off.\n\n\
         Check the address in the kubeconfig of the site, and the network between the clusters.",
        Actions::TRANSIENT,
    ),
    VariantInfo::new(
        IMMUTABLE,
        "stalled",
        "The API server refuses to change a field of an object.\n\nChange the manifest back, or set `update-policy: apply-or-recreate` for the \
         object, which is then deleted and created again.",
        Actions::STALLED,
    ),
    VariantInfo::new(
        LARGE,
        "stalled",
        "An object is larger than the API server stores, which is about 1.5 MiB.\n\n\
         Make the object smaller, or split it into several.",
        Actions::STALLED,
    ),
    VariantInfo::new(
        QUOTA,
        "transient",
        "A quota of the namespace of an object is used up; the message names it. It is tried again with back-off.\n\n\
         Raise the quota, or delete other objects in the namespace.",
        Actions::TRANSIENT,
    ),
    VariantInfo::new(
        PROGRESSING,
        "waiting",
        "Objects are not ready yet, or they or their namespace are being deleted. A change of them triggers a pass; a namespace is looked at \
         again after 30 s.\n\n\
         None. If it stays, look at the objects that the message names.",
        Actions::WAITING,
    ),
    VariantInfo::new(
        FAILED,
        "waiting",
        "The controller of an object failed; the next wave does not start. A change of the object triggers a pass.\n\n\
         Look at the status and the events of the object that the message names.",
        Actions::WAITING,
    ),
    VariantInfo::new(
        LATE,
        "waiting",
        "Objects have not become ready in time. The operator keeps waiting for them.\n\n\
         Look at the objects that the message names. If they need more time as a rule, raise `ready_within`.",
        Actions::WAITING,
    ),
    VariantInfo::new(
        NAMESPACE,
        "waiting",
        "The namespace of an object does not exist, and the policy for missing namespaces is `refuse`. It is looked for again after 30 s.\n\n\
         Create the namespace, or set the policy for missing namespaces to `create`.",
        Actions::WAITING,
    ),
    VariantInfo::new(
        KIND,
        "waiting",
        "The API server does not serve the kind of an object. It is tried again after 30 s, or after 1 s if the set defines the kind.\n\n\
         Install the CRD of the kind, or remove the object from the set.",
        Actions::WAITING,
    ),
    VariantInfo::new(
        BLOCKED,
        "waiting",
        "Objects of others would be deleted with a CRD, an APIService or a Namespace of the set, so it is not deleted. The message names them. \
         They are looked for again after 30 s.\n\n\
         Delete the objects that the message names, or keep the CRD, APIService or Namespace by the annotation \
         `evenkeel.dev/delete-policy: orphan`.",
        Actions::WAITING,
    ),
];
const CALLS: &[VariantInfo] = <ApiError as ReconcileError>::VARIANTS;

impl ReconcileError for DependentsError {
    fn class(&self) -> Class {
        match self {
            Self::ManifestInvalid(_)
            | Self::RenderFailed(_)
            | Self::SiteInvalid(_)
            | Self::FieldImmutable(_)
            | Self::ObjectTooLarge(_) => Class::Stalled,
            Self::TimedOut(_) => Class::Waiting { poll: None },
            Self::Foreign(_, poll) | Self::Progressing(_, poll) | Self::Failed(_, poll) => {
                Class::Waiting { poll: *poll }
            }
            Self::KindMissing(_, poll) => Class::Waiting { poll: Some(*poll) },
            Self::NamespaceMissing { .. } | Self::NamespaceTerminating(_) | Self::Blocked(_) => {
                Class::Waiting { poll: Some(AGAIN) }
            }
            Self::SourceFailed(_) | Self::SiteUnreachable(_) | Self::QuotaExceeded(_) => Class::Transient,
            Self::Call(error) => error.class(),
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::ManifestInvalid(_) => INVALID,
            Self::RenderFailed(_) => RENDER,
            Self::SourceFailed(_) => SOURCE,
            Self::SiteInvalid(_) => SITE,
            Self::SiteUnreachable(_) => UNREACHABLE,
            Self::FieldImmutable(_) => IMMUTABLE,
            Self::ObjectTooLarge(_) => LARGE,
            Self::QuotaExceeded(_) => QUOTA,
            Self::Foreign(..) => FOREIGN,
            Self::Call(error) => error.reason(),
            Self::Progressing(..) | Self::NamespaceTerminating(_) => PROGRESSING,
            Self::Failed(..) => FAILED,
            Self::TimedOut(_) => LATE,
            Self::NamespaceMissing { .. } => NAMESPACE,
            Self::KindMissing(..) => KIND,
            Self::Blocked(_) => BLOCKED,
        }
    }

    const VARIANTS: &'static [VariantInfo] = &join_variants::<{ OWN.len() + CALLS.len() }>(&[OWN, CALLS]);
}
