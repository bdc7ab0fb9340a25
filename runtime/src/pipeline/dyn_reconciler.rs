//! A type-erased reconciler, as the engine calls it. The engine is then compiled once for all reconcilers.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::dependency::Reference;
use crate::outcome::PassResult;
use crate::pipeline::context::Pass;
use crate::pipeline::hook::{Announcement, Known, PassEnd};
use crate::pipeline::object::{Object, Primary};
use crate::pipeline::reconciler::Reconciler;
use crate::status::erased::closed;
use crate::status::fields::{Fields, author_fields};
use crate::wiring::handler::Erased;
use crate::wiring::{KindInfo, Wiring};

type StatusOf<R> = <<R as Reconciler>::Object as Primary>::Status;

/// The author's functions with their dependencies. Each method corresponds to one of [`Reconciler`].
pub(crate) trait DynReconciler: Send + Sync {
    /// The identity of the reconciler within an operator.
    fn id(&self) -> TypeId;
    fn wiring(&self) -> &'static Wiring;
    fn kind(&self) -> KindInfo;
    fn deps(&self) -> &Erased;
    fn requeue(&self, object: &Object) -> Option<Duration>;
    fn retry(&self, object: &Object) -> Option<Duration>;
    fn timeout(&self, object: &Object) -> Option<Duration>;
    fn is_suspended(&self, object: &Object) -> bool;
    fn filter(&self, object: &Object) -> bool;
    fn depends_on<'o>(&self, object: &'o Object) -> Cow<'o, [Reference]>;
    fn reconcile<'a>(&'a self, object: &'a Object, pass: &'a mut Pass<'_>) -> BoxFuture<'a, PassResult>;
    fn cleanup<'a>(&'a self, object: &'a Object, pass: &'a mut Pass<'_>) -> BoxFuture<'a, PassResult>;
    /// The name of the hook at the end of a pass, if there is one.
    fn hook(&self) -> Option<&'static str>;
    /// Calls this hook with a copy of the author's status. Returns the fields as the hook left them.
    ///
    /// # Errors
    /// The fields cannot be serialized as JSON.
    fn end_pass(
        &self,
        object: &Object,
        status: &Erased,
        known: Known<'_>,
        announcement: &mut Announcement,
    ) -> serde_json::Result<Fields>;
}

/// The implementation for one reconciler type.
pub(crate) struct TypedReconciler<R: Reconciler> {
    deps: Arc<R::Deps>,
    kind: KindInfo,
    /// The wiring of the type, with the label selector of the operator.
    wiring: &'static Wiring,
}

impl<R: Reconciler> TypedReconciler<R> {
    pub(crate) const fn new(deps: Arc<R::Deps>, kind: KindInfo, wiring: &'static Wiring) -> Self {
        Self { deps, kind, wiring }
    }
}

fn typed<R: Reconciler>(object: &Object) -> &R::Object {
    (object as &dyn Any).downcast_ref().expect("a reconciler gets objects of its own kind")
}

impl<R: Reconciler> DynReconciler for TypedReconciler<R> {
    fn id(&self) -> TypeId {
        TypeId::of::<R>()
    }

    fn wiring(&self) -> &'static Wiring {
        self.wiring
    }

    fn kind(&self) -> KindInfo {
        self.kind.clone()
    }

    fn deps(&self) -> &Erased {
        &*self.deps
    }

    fn requeue(&self, object: &Object) -> Option<Duration> {
        R::requeue(typed::<R>(object))
    }

    fn retry(&self, object: &Object) -> Option<Duration> {
        R::retry(typed::<R>(object))
    }

    fn timeout(&self, object: &Object) -> Option<Duration> {
        R::timeout(typed::<R>(object))
    }

    fn is_suspended(&self, object: &Object) -> bool {
        R::is_suspended(typed::<R>(object))
    }

    fn filter(&self, object: &Object) -> bool {
        R::filter(typed::<R>(object))
    }

    fn depends_on<'o>(&self, object: &'o Object) -> Cow<'o, [Reference]> {
        R::depends_on(typed::<R>(object))
    }

    fn reconcile<'a>(&'a self, object: &'a Object, pass: &'a mut Pass<'_>) -> BoxFuture<'a, PassResult> {
        R::reconcile(typed::<R>(object), &self.deps, pass).boxed()
    }

    fn cleanup<'a>(&'a self, object: &'a Object, pass: &'a mut Pass<'_>) -> BoxFuture<'a, PassResult> {
        R::cleanup(typed::<R>(object), &self.deps, pass).boxed()
    }

    fn hook(&self) -> Option<&'static str> {
        R::after().map(|hook| hook.name)
    }

    fn end_pass(
        &self,
        object: &Object,
        status: &Erased,
        known: Known<'_>,
        announcement: &mut Announcement,
    ) -> serde_json::Result<Fields> {
        let mut status = closed::<StatusOf<R>>(status);
        if let Some(hook) = R::after() {
            (hook.run)(typed::<R>(object), &mut PassEnd { known, status: &mut status, announcement });
        }
        author_fields(&status)
    }
}
