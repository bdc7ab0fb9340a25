//! Objects as compressed text. Those that were read last are decoded, too.

mod packed;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;

use self::packed::{Packed, Packer};
use super::idle::Form;
use super::interned::Interned;
use super::numbers::{number, uid, uid_text};
use super::peek::IdleObject;
use super::slim_status::{SharedStatuses, SlimStatus};
use crate::client::decode::{Decoded, Decoder};
use crate::condition::ConditionStatus;
use crate::pipeline::bare_store::BareStore;
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::status::bare::BareStatus;
use crate::watch::primary::held::Held;

/// How the objects of a cache are kept as text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compaction {
    /// The number of objects that are decoded, too.
    pub(crate) decoded: NonZeroUsize,
    /// Whether objects keep the fields that no reconciler reads.
    pub(crate) whole: bool,
    /// The policy annotation.
    pub(crate) policy: Option<&'static str>,
}

/// The form of a cache of one type.
pub(super) struct CompactForm {
    compaction: Compaction,
    decoder: Decoder,
    bare: Arc<BareStore>,
    packer: Packer,
    briefs: Interned<Brief>,
    statuses: SharedStatuses,
    /// The objects that were read or changed last.
    decoded: RefCell<LruCache<Key, Arc<Object>>>,
}

/// An object as compressed text.
pub(super) struct Compact {
    uid: [u8; 16],
    version: u64,
    text: Packed,
    brief: Arc<Brief>,
    /// The status in memory, if the kind has none of ours.
    status: Option<Box<MemoryStatus>>,
}

enum MemoryStatus {
    Slim(SlimStatus),
    Own(Arc<BareStatus>),
}

/// What metrics count of an object. Most objects have the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Brief {
    /// Type and status of each condition.
    conditions: Vec<(String, ConditionStatus)>,
    policy: Option<String>,
}

impl CompactForm {
    pub(super) fn new(compaction: Compaction, decoder: Decoder, bare: Arc<BareStore>) -> Self {
        Self {
            compaction,
            decoder,
            bare,
            packer: Packer::default(),
            briefs: Interned::default(),
            statuses: SharedStatuses::default(),
            decoded: RefCell::new(LruCache::new(compaction.decoded)),
        }
    }

    fn brief(&self, object: &Object) -> Brief {
        let conditions = object.conditions().iter().map(|condition| (condition.type_.clone(), condition.status));
        let policy = self.compaction.policy.and_then(|name| object.annotations().get(name).cloned());
        Brief { conditions: conditions.collect(), policy }
    }

    fn status(&mut self, status: &Arc<BareStatus>) -> Box<MemoryStatus> {
        let slim = self.statuses.slim(status).map(MemoryStatus::Slim);
        Box::new(slim.unwrap_or_else(|| MemoryStatus::Own(status.clone())))
    }

    /// Decodes the object.
    ///
    /// # Errors
    /// Its text does not decode any more.
    fn decode(&self, compact: &Compact) -> Result<Arc<Object>, String> {
        let text = self.packer.unpack(&compact.text)?;
        match self.decoder.again(&text, self.compaction.whole) {
            Ok(Decoded::Valid(object, _)) => {
                let object = self.bare.restored(object);
                let status = compact.status.as_deref().and_then(MemoryStatus::whole);
                Ok(status.map(|status| object.with_bare_status(status)).unwrap_or(object))
            }
            Ok(Decoded::Invalid(invalid)) => Err(invalid.text()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Form for CompactForm {
    type Source = Packed;
    type Idle = Compact;

    fn source(&mut self, text: Option<&str>) -> Option<Packed> {
        text.and_then(|text| self.packer.pack(text))
    }

    fn idle(&mut self, key: &Key, held: &Held, text: Packed) -> Result<Compact, Packed> {
        let Some(object) = held.seen().filter(|_| held.wrote.is_none()) else { return Err(text) };
        let (Some(uid), Some(version)) = (uid(object.uid()), number(object.resource_version())) else {
            return Err(text);
        };
        let brief = self.brief(&**object);
        let brief = self.briefs.share(&brief, || Arc::new(brief.clone()));
        let status = object.bare().and_then(|bare| bare.status.as_ref()).map(|status| self.status(status));
        self.decoded.get_mut().put(key.clone(), object.clone());
        Ok(Compact { uid, version, text, brief, status })
    }

    fn held(&self, key: &Key, compact: &Compact) -> Held {
        if let Some(object) = self.decoded.borrow_mut().get(key) {
            return Held::object(object.clone(), None);
        }
        match self.decode(compact) {
            Ok(object) => {
                self.decoded.borrow_mut().put(key.clone(), object.clone());
                Held::object(object, None)
            }
            Err(error) => {
                // Only a `Deserialize` does this that has another result for the same text.
                tracing::error!(object = %key, %error, "a cached object cannot be decoded; waiting for its next version");
                Held::misfit(compact.version(), compact.uid())
            }
        }
    }

    fn release(&mut self, key: &Key, compact: Compact) -> Packed {
        self.decoded.get_mut().pop(key);
        self.briefs.release(&compact.brief);
        compact.text
    }
}

impl MemoryStatus {
    fn whole(&self) -> Option<Arc<BareStatus>> {
        match self {
            Self::Slim(slim) => slim.whole().map(Arc::new),
            Self::Own(status) => Some(status.clone()),
        }
    }
}

impl IdleObject for Compact {
    fn uid(&self) -> String {
        uid_text(self.uid)
    }

    fn version(&self) -> String {
        self.version.to_string()
    }

    #[cfg(feature = "metrics")]
    fn conditions(&self, see: &mut dyn FnMut(&str, &ConditionStatus)) {
        self.brief.conditions.iter().for_each(|(type_, status)| see(type_, status));
    }

    #[cfg(feature = "metrics")]
    fn policy(&self, _: &str) -> Option<&str> {
        self.brief.policy.as_deref()
    }
}
