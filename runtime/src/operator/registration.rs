//! A type-erased reconciler of the operator.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::controller::{Controller, OperatorContext, Prepared};
use super::error::Result;
use super::reconciled_kind::ReconciledKind;
use super::{status_check, wiring_check};
use crate::client::decode::Decoder;
use crate::introspection::{ReconcilerInfo, add_columns, completed};
use crate::pipeline::dyn_reconciler::TypedReconciler;
use crate::pipeline::dynamic::Dynamic;
use crate::pipeline::reconciler::Reconciler;
#[cfg(all(feature = "cli", feature = "dependents"))]
use crate::render::Renderer;
use crate::wiring::{KindInfo, Wiring};

/// The identity of a reconciler within its operator.
pub(super) struct Identity {
    /// The name of the function.
    pub(super) name: &'static str,
    pub(super) kind: KindInfo,
    /// The field manager of all its writes.
    pub(super) field_manager: String,
    pub(super) finalizer: String,
    pub(super) wiring: Wiring,
}

pub(super) trait Registration: Send + Sync {
    fn identity(&self) -> Identity {
        self.under("")
    }
    /// The identity in an operator with this name.
    fn under(&self, operator: &str) -> Identity;
    /// The CRD, with the columns of this reconciler; `None` if others install the kind.
    fn definition(&self) -> Option<CustomResourceDefinition>;
    /// Adds the columns of this reconciler to the CRD of its kind.
    fn add_columns(&self, definition: &mut CustomResourceDefinition);
    fn introspect(&self, operator: &str) -> ReconcilerInfo;
    /// Rejects wiring and status types that the macros would not generate.
    fn check(&self) -> Result;
    /// The steps of the reconciler, to be rendered without an API server.
    #[cfg(all(feature = "cli", feature = "dependents"))]
    fn renderer(self: Box<Self>) -> Renderer;
    /// Registers the watches immediately. The future ends when passes may run.
    fn prepare(self: Box<Self>, context: OperatorContext) -> BoxFuture<'static, Result<Box<dyn Prepared>>>;
}

/// A reconciler with its dependencies.
pub(super) struct Typed<R: Reconciler> {
    deps: Arc<R::Deps>,
    kind: KindInfo,
    /// The CRD that the program was built with.
    definition: fn() -> Option<CustomResourceDefinition>,
}

impl<R: Reconciler<Object: ReconciledKind>> Typed<R> {
    pub(super) fn new(deps: R::Deps) -> Self {
        Self::sharing(Arc::new(deps))
    }

    pub(super) fn sharing(deps: Arc<R::Deps>) -> Self {
        Self { deps, kind: KindInfo::of::<R::Object>(), definition: R::Object::definition }
    }
}

impl<R: Reconciler<Object = Dynamic>> Typed<R> {
    /// A reconciler of a kind that is known only at the start. The program has no CRD for it.
    pub(super) fn dynamic(deps: R::Deps, kind: KindInfo) -> Self {
        Self { deps: Arc::new(deps), kind, definition: || None }
    }
}

impl<R: Reconciler> Typed<R> {
    /// Creates the type-erased controller.
    pub(super) fn controller(self, context: OperatorContext) -> Controller {
        let (decoder, definition) = (Decoder::of::<R::Object>(), (self.definition)());
        let wiring = context.scope.selecting(&const { R::WIRING });
        let reconciler = Arc::new(TypedReconciler::<R>::new(self.deps, self.kind, wiring));
        Controller::new(context, reconciler, decoder, definition.as_ref())
    }
}

impl<R: Reconciler> Registration for Typed<R> {
    fn under(&self, operator: &str) -> Identity {
        let kind = self.kind.clone();
        Identity {
            name: R::WIRING.name,
            field_manager: R::WIRING.field_manager_under(operator),
            finalizer: R::WIRING.finalizer_under(operator, &kind.resource.group),
            wiring: R::WIRING,
            kind,
        }
    }

    fn definition(&self) -> Option<CustomResourceDefinition> {
        (self.definition)().map(completed::<R>)
    }

    fn add_columns(&self, definition: &mut CustomResourceDefinition) {
        add_columns::<R>(definition);
    }

    fn introspect(&self, operator: &str) -> ReconcilerInfo {
        ReconcilerInfo::of_kind::<R>(operator, self.kind.clone())
    }

    fn check(&self) -> Result {
        wiring_check::check(&R::WIRING)?;
        status_check::check::<R>()
    }

    #[cfg(all(feature = "cli", feature = "dependents"))]
    fn renderer(self: Box<Self>) -> Renderer {
        let reconciler = Arc::new(TypedReconciler::<R>::new(self.deps, self.kind, &const { R::WIRING }));
        Renderer { reconciler, decoder: Decoder::of::<R::Object>() }
    }

    fn prepare(self: Box<Self>, context: OperatorContext) -> BoxFuture<'static, Result<Box<dyn Prepared>>> {
        listed(self.controller(context))
    }
}

/// The controller, as soon as its passes may run. Not generic, so that it is compiled once for all kinds.
fn listed(mut controller: Controller) -> BoxFuture<'static, Result<Box<dyn Prepared>>> {
    async move {
        controller.listed().await?;
        Ok(Box::new(controller) as Box<dyn Prepared>)
    }
    .boxed()
}
