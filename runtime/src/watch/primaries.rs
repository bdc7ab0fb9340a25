//! The caches of the reconciled kinds, for reads by other parts of the operator.

use std::any::Any;
use std::sync::Arc;

use super::primary::Primary;
use crate::lock::Mutex;
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::wiring::KindInfo;

type Caches = Mutex<Vec<(KindInfo, Primary)>>;

/// The caches of the reconciled kinds. Clones share them. The default stores none.
#[derive(Clone, Default)]
pub(crate) struct Primaries(Option<Arc<Caches>>);

impl Primaries {
    /// Stores the caches that are added.
    pub(crate) fn stored() -> Self {
        Self(Some(Arc::default()))
    }

    pub(crate) fn add(&self, kind: &KindInfo, cache: &Primary) {
        if let Some(all) = &self.0 {
            all.lock().push((kind.clone(), cache.clone()));
        }
    }

    /// The object of a reconciler, if its type is a wanted one.
    pub(crate) fn find(&self, kind: &KindInfo, key: &Key, wanted: &dyn Fn(&dyn Any) -> bool) -> Option<Arc<Object>> {
        let all = self.0.as_ref()?.lock();
        let of_kind = all.iter().filter(|(one, _)| one == kind);
        of_kind.filter_map(|(_, cache)| cache.get(key)).find(|object| wanted(&**object as &dyn Any))
    }
}
