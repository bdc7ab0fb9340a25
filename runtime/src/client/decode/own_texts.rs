//! The objects that our writes returned, by their text. A watch delivers each of them once more, in the same text, which need not be
//! decoded again.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use crate::lock::Mutex;
use crate::pipeline::object::Object;

/// How many texts wait for their event. An event of one that was dropped is decoded as any other.
const MOST: usize = 64;

/// A text, and its object while the cache holds it.
type OwnText = (String, Weak<Object>);

/// The texts whose event has not arrived. All clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnTexts(Arc<Mutex<VecDeque<OwnText>>>);

impl OwnTexts {
    pub(super) fn put(&self, text: String, object: &Arc<Object>) {
        let mut texts = self.0.lock();
        if texts.len() == MOST {
            texts.pop_front();
        }
        texts.push_back((text, Arc::downgrade(object)));
    }

    /// Removes the text and returns its object, if the cache still holds it.
    pub(super) fn take(&self, text: &str) -> Option<Arc<Object>> {
        let mut texts = self.0.lock();
        let at = texts.iter().position(|(own, _)| own == text)?;
        let (_, object) = texts.remove(at)?;
        object.upgrade()
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::client::decode::{Decoded, Decoder, decoding};
    use crate::pipeline::bare::Bare;

    fn object() -> Arc<Object> {
        Arc::new(Bare::new(ConfigMap::default()))
    }

    #[test]
    fn a_text_is_found_once() {
        let texts = OwnTexts::default();
        let object = object();
        texts.put("a".into(), &object);
        texts.put("b".into(), &object);
        assert!(texts.take("c").is_none());
        assert!(texts.clone().take("b").is_some() && texts.take("b").is_none() && texts.take("a").is_some());
    }

    #[tokio::test]
    async fn the_event_of_an_own_write_is_not_decoded_again() {
        let decoder = Decoder::of::<Bare<ConfigMap>>();
        let text = r#"{"metadata":{"name":"a","resourceVersion":"5"}}"#;
        let written = decoder.answer(text, false).unwrap();
        let events = futures::stream::iter([text, text]).map(|text| serde_json::from_str(text).unwrap());
        let events: Vec<Decoded> = decoding(Some(decoder), events).collect().await;
        let is_written = |event: &Decoded| matches!(event, Decoded::Valid(event, _) if Arc::ptr_eq(event, &written));
        assert_eq!(events.iter().map(is_written).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn the_oldest_texts_are_dropped() {
        let texts = OwnTexts::default();
        let object = object();
        (0..=MOST).for_each(|nth| texts.put(nth.to_string(), &object));
        assert!(texts.take("0").is_none() && texts.take("1").is_some() && texts.take(&MOST.to_string()).is_some());
    }
}
