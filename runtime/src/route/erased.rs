//! The functions that answer requests, without the type of their kind.

use std::any::Any;
use std::sync::Arc;

use kube::core::DynamicObject;

use crate::api::BoxFuture;
use crate::introspection::RouteInfo;
use crate::kind::typed;
use crate::pipeline::route::{Answers, Call, Reply, UserRequest};
use crate::wiring::KindInfo;
use crate::wiring::route::RouteWiring;

use super::template::Template;

/// An object of the kind of a route.
pub(super) type AnyObject = dyn Any + Send + Sync;

/// A function that answers requests, with its dependencies.
#[derive(Clone)]
#[doc(hidden)]
pub struct Route(pub(super) Arc<dyn AnswerRequest>);

pub(super) trait AnswerRequest: Send + Sync {
    fn wiring(&self) -> &'static RouteWiring;
    fn kind(&self) -> &KindInfo;
    /// Whether the object is of the type that the function takes.
    fn takes(&self, object: &dyn Any) -> bool;
    /// Decodes an object. The error names the field.
    fn decode(&self, object: &DynamicObject) -> Result<Box<AnyObject>, String>;
    /// Calls the function. `None`: the object is of another type.
    fn answer<'a>(&'a self, object: &'a dyn Any, request: &'a UserRequest) -> Option<BoxFuture<'a, Reply>>;
}

struct Typed<F: Answers> {
    kind: KindInfo,
    dependencies: F::Dependencies,
}

impl Route {
    pub(super) fn new<F: Answers>(dependencies: F::Dependencies) -> Self {
        Self(Arc::new(Typed::<F> { kind: KindInfo::of::<F::Object>(), dependencies }))
    }

    /// The declarations of the function.
    pub(crate) fn wiring(&self) -> &'static RouteWiring {
        self.0.wiring()
    }

    /// The kind of its object.
    pub(crate) fn kind(&self) -> &KindInfo {
        self.0.kind()
    }

    /// The resource on which a user needs the verb: `repos/artifact`.
    pub(super) fn resource(&self) -> String {
        let wiring = self.wiring();
        let default = || format!("{}/{}", self.kind().resource.plural, wiring.subresource());
        wiring.resource.map_or_else(default, ToOwned::to_owned)
    }

    pub(super) fn template(&self) -> Template {
        Template::new(self.kind(), self.wiring().path)
    }

    /// What the manifest of the operator shows of it.
    pub(crate) fn info(&self) -> RouteInfo {
        let wiring = self.wiring();
        RouteInfo {
            kind: self.kind().clone(),
            function: wiring.name,
            method: wiring.method.as_str(),
            verb: wiring.method.verb(),
            path: self.template().to_string(),
            resource: self.resource(),
        }
    }
}

impl<F: Answers> AnswerRequest for Typed<F> {
    fn wiring(&self) -> &'static RouteWiring {
        const { &F::WIRING }
    }

    fn kind(&self) -> &KindInfo {
        &self.kind
    }

    fn takes(&self, object: &dyn Any) -> bool {
        object.is::<F::Object>()
    }

    fn decode(&self, object: &DynamicObject) -> Result<Box<AnyObject>, String> {
        typed::<F::Object>(object).map(|object| Box::new(object) as _).map_err(|error| error.to_string())
    }

    fn answer<'a>(&'a self, object: &'a dyn Any, request: &'a UserRequest) -> Option<BoxFuture<'a, Reply>> {
        let object = object.downcast_ref::<F::Object>()?;
        Some(Box::pin(F::answer(object, &self.dependencies, Call::new(request))))
    }
}
