//! The functions that review writes, without the type of their kind.

use std::any::{Any, TypeId};
use std::sync::Arc;

use serde_json::Value;

use crate::api::BoxFuture;
use crate::client::decode::from_object_text;
use crate::introspection::ReviewInfo;
use crate::pipeline::admission::{Admits, Cause, Denial, Reads, Review, ReviewRequest};
use crate::wiring::KindInfo;
use crate::wiring::admission::AdmissionWiring;

/// An object of the kind of a function.
pub(super) type AnyObject = Box<dyn Any + Send + Sync>;

/// A function that reviews writes, with its dependencies.
#[derive(Clone)]
#[doc(hidden)]
pub struct Function(pub(super) Arc<dyn ReviewFunction>);

/// What the function returned and collected.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) returned: Result<(), Denial>,
    pub(super) causes: Vec<Cause>,
    pub(super) warnings: Vec<String>,
}

pub(super) trait ReviewFunction: Send + Sync {
    fn wiring(&self) -> &'static AdmissionWiring;
    fn kind(&self) -> &KindInfo;
    /// The type of the objects.
    fn object_type(&self) -> TypeId;
    /// Decodes an object. The error names the field.
    fn decode(&self, text: &str) -> Result<AnyObject, String>;
    /// The object as a tree.
    fn tree(&self, object: &AnyObject) -> Result<Value, String>;
    /// Calls the function. `None`: the objects are of another type.
    fn call<'a>(
        &'a self,
        object: &'a mut AnyObject,
        old: Option<&'a AnyObject>,
        request: &'a ReviewRequest,
        reads: &'a dyn Reads,
    ) -> Option<BoxFuture<'a, Called>>;
}

struct Typed<F: Admits> {
    kind: KindInfo,
    dependencies: F::Dependencies,
}

impl Function {
    pub(super) fn new<F: Admits>(dependencies: F::Dependencies) -> Self {
        Self(Arc::new(Typed::<F> { kind: KindInfo::of::<F::Object>(), dependencies }))
    }

    /// The declarations of the function.
    pub(crate) fn wiring(&self) -> &'static AdmissionWiring {
        self.0.wiring()
    }

    /// The kind that it reviews.
    pub(crate) fn kind(&self) -> &KindInfo {
        self.0.kind()
    }

    /// What the manifest of the operator shows of it.
    pub(crate) fn info(&self) -> ReviewInfo {
        let wiring = self.wiring();
        ReviewInfo {
            kind: self.kind().clone(),
            function: wiring.name,
            mutates: wiring.mutates,
            operations: wiring.operations.iter().map(|operation| operation.as_str()).collect(),
            failure: wiring.failure.as_str(),
            subresource: wiring.subresource,
        }
    }
}

impl<F: Admits> ReviewFunction for Typed<F> {
    fn wiring(&self) -> &'static AdmissionWiring {
        const { &F::WIRING }
    }

    fn kind(&self) -> &KindInfo {
        &self.kind
    }

    fn object_type(&self) -> TypeId {
        TypeId::of::<F::Object>()
    }

    fn decode(&self, text: &str) -> Result<AnyObject, String> {
        Ok(Box::new(from_object_text::<F::Object>(text)?))
    }

    fn tree(&self, object: &AnyObject) -> Result<Value, String> {
        let object = object.downcast_ref::<F::Object>().ok_or("the object is of another type")?;
        serde_json::to_value(object).map_err(|error| error.to_string())
    }

    fn call<'a>(
        &'a self,
        object: &'a mut AnyObject,
        old: Option<&'a AnyObject>,
        request: &'a ReviewRequest,
        reads: &'a dyn Reads,
    ) -> Option<BoxFuture<'a, Called>> {
        let object = object.downcast_mut::<F::Object>()?;
        let old = old.and_then(|old| old.downcast_ref::<F::Object>());
        Some(Box::pin(async move {
            let mut cx = Review::new(request, reads);
            let returned = F::admit(object, old, &self.dependencies, &mut cx).await;
            let (causes, warnings) = cx.into_parts();
            Called { returned, causes, warnings }
        }))
    }
}
