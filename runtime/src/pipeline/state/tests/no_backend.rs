//! A backend for tests without a server.

use std::sync::Arc;

use kube::core::{DynamicObject, ObjectMeta};

use crate::api::{ApiError, Backend, BoxFuture, Selection, Target, Warned};
use crate::pipeline::state::DesiredStatus;
use crate::wiring::{KindInfo, Relation};

#[derive(Default)]
pub(in crate::pipeline::state) struct Nowhere {
    warned: Warned,
}

impl Backend for Nowhere {
    fn warned(&self) -> &Warned {
        &self.warned
    }

    fn get(
        &self,
        _: &'static str,
        _: Relation,
        _: Target,
    ) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>> {
        unreachable!("no step reads here")
    }
    fn list(
        &self,
        _: &'static str,
        _: Relation,
        _: Selection,
    ) -> BoxFuture<'_, Result<Vec<Arc<DynamicObject>>, ApiError>> {
        unreachable!("no step lists here")
    }
    fn metadata(&self, _: &'static str, _: Relation, _: Selection) -> BoxFuture<'_, Result<Vec<ObjectMeta>, ApiError>> {
        unreachable!("no step lists here")
    }
    fn owned(&self, _: &'static str, _: KindInfo) -> BoxFuture<'_, Result<Vec<Target>, ApiError>> {
        unreachable!("no step looks at children here")
    }
    fn apply(
        &self,
        _: &'static str,
        _: Relation,
        _: Target,
        _: String,
    ) -> BoxFuture<'_, Result<Arc<DynamicObject>, ApiError>> {
        unreachable!("no step writes here")
    }
    fn delete(&self, _: &'static str, _: Target) -> BoxFuture<'_, Result<(), ApiError>> {
        unreachable!("no step deletes here")
    }
    fn record(
        &self,
        _: &'static str,
        _: DesiredStatus,
        _: DesiredStatus,
        _: bool,
    ) -> BoxFuture<'_, Result<(), ApiError>> {
        unreachable!("no step records here")
    }
    #[cfg(feature = "operator")]
    fn client(&self, _: &'static str, _: &'static [Relation]) -> kube::Client {
        unreachable!("no step calls here")
    }
    fn blocking(&self, _: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        unreachable!("no step blocks here")
    }
}
