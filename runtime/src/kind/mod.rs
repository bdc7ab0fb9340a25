//! Kubernetes kinds: the trait of their types, and their type-erased description.

#[cfg(feature = "dependents")]
mod by_text;
#[cfg(feature = "operator")]
pub(crate) mod misfit;
mod tree;
mod typed;

use std::sync::Arc;

use kube::Resource;
use kube::core::ApiResource;
use kube::core::{ClusterResourceScope, NamespaceResourceScope};
#[cfg(feature = "operator")]
use kube::discovery::{ApiCapabilities, Scope};

#[cfg(feature = "dependents")]
pub use self::by_text::TextKind;
pub(crate) use self::tree::from_tree;
pub(crate) use self::typed::{typed, typed_or_why};

/// A type-erased kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KindInfo {
    /// Group, version, kind and plural; shared, since each object in a pass refers to its kind.
    pub resource: Arc<ApiResource>,
    /// Whether its objects are namespaced.
    pub namespaced: bool,
}

impl KindInfo {
    /// The kind of a type.
    #[must_use]
    pub fn of<K: Kind>() -> Self {
        Self { resource: Arc::new(ApiResource::erase::<K>(&())), namespaced: K::Scope::NAMESPACED }
    }
}

#[cfg(all(feature = "dependents", feature = "operator"))]
impl KindInfo {
    /// Whether it is the other kind, in whatever version.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.resource.kind == other.resource.kind && self.resource.group == other.resource.group
    }
}

/// The kind as kube's discovery returns it.
#[cfg(feature = "operator")]
impl From<(ApiResource, ApiCapabilities)> for KindInfo {
    fn from((resource, capabilities): (ApiResource, ApiCapabilities)) -> Self {
        Self { resource: Arc::new(resource), namespaced: capabilities.scope == Scope::Namespaced }
    }
}

/// A kind that steps may read, watch and write: any Kubernetes type with a fixed kind and scope.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a Kubernetes kind",
    label = "not a kind",
    note = "use a type of k8s-openapi, or one that `#[derive(CustomResource)]` generates",
    note = "evenkeel 0.1 works with kube 5; `cargo tree -d` shows a second version of kube"
)]
pub trait Kind:
    Resource<DynamicType = (), Scope: KnownScope>
    + Clone
    + serde::Serialize
    + serde::de::DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

#[diagnostic::do_not_recommend]
impl<K> Kind for K where
    K: Resource<DynamicType = (), Scope: KnownScope>
        + Clone
        + serde::Serialize
        + serde::de::DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// A scope that is known at compile time.
pub trait KnownScope {
    /// Whether objects are namespaced.
    const NAMESPACED: bool;
}

impl KnownScope for NamespaceResourceScope {
    const NAMESPACED: bool = true;
}

impl KnownScope for ClusterResourceScope {
    const NAMESPACED: bool = false;
}

/// Implemented for scopes whose objects an owner of scope `O` may own. Owner references do not cross namespaces.
#[diagnostic::on_unimplemented(
    message = "a namespaced object cannot own a cluster-scoped one",
    label = "the garbage collector would treat the owner reference as dangling and delete the child",
    note = "drop the kind from `owns(..)`, and delete the object in a `#[cleanup]` instead"
)]
pub trait OwnableBy<O> {}
// Implemented for any `O`: a step that is generic over its object may own namespaced objects.
impl<O> OwnableBy<O> for NamespaceResourceScope {}
impl OwnableBy<ClusterResourceScope> for ClusterResourceScope {}

/// An argument of `reads(..)`: a kind, or a condition of the set.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can be read neither as a kind nor as a condition",
    label = "not a kind, and not a condition"
)]
pub trait Readable {
    /// The kind, if it is one.
    #[doc(hidden)]
    const KIND: Option<fn() -> KindInfo> = None;
}

#[diagnostic::do_not_recommend]
impl<K: Kind> Readable for K {
    const KIND: Option<fn() -> KindInfo> = Some(KindInfo::of::<K>);
}

/// The content of a `waiting` variant without a poll time.
#[diagnostic::on_unimplemented(
    message = "this variant waits, but its `{Self}` triggers no reconcile",
    label = "neither an `Absent<K>` nor an `Unfit<K>`",
    note = "hold the `Absent<K>` of `cx.require`, the `Unfit<K>` of `cx.unfit`, or declare `#[class(waiting(poll = \"1m\"))]`"
)]
#[doc(hidden)]
pub trait TriggeredBy {
    /// The kind of the watched object.
    type Kind: Kind;
}
