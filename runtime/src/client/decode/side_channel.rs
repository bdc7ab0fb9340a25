//! A side channel for object texts, which bypass kube's parser for watch lines. The line that kube parses has an id in place of the
//! object, so the object's text is neither copied again nor scanned for its end before it is decoded.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::Stream;

use super::object_text::ObjectText;
use crate::lock::Mutex;

/// The texts that have not been decoded yet. All clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawTextStore(Arc<Mutex<Texts>>);

#[derive(Debug, Default)]
struct Texts {
    next: u64,
    waiting: VecDeque<(u64, ObjectText)>,
}

tokio::task_local! {
    static SHELF: RawTextStore;
}

impl RawTextStore {
    /// Stores a text, and returns its id.
    pub(crate) fn put(&self, text: ObjectText) -> u64 {
        let mut texts = self.0.lock();
        let text_id = texts.next;
        texts.next += 1;
        texts.waiting.push_back((text_id, text));
        text_id
    }

    /// Removes and returns the text with this id. Texts with lower ids are dropped, as their watch ended before they were read.
    fn take(&self, text_id: u64) -> Option<ObjectText> {
        let mut texts = self.0.lock();
        while texts.waiting.front().is_some_and(|(of, _)| *of < text_id) {
            texts.waiting.pop_front();
        }
        let is_first = texts.waiting.front().is_some_and(|(of, _)| *of == text_id);
        if is_first { texts.waiting.pop_front().map(|(_, text)| text) } else { None }
    }
}

#[cfg(test)]
impl RawTextStore {
    pub(crate) fn len(&self) -> usize {
        self.0.lock().waiting.len()
    }
}

/// The events of a watch, whose object texts may be in the store.
pub(crate) fn with_raw_texts<S: Stream>(shelf: RawTextStore, events: S) -> impl Stream<Item = S::Item> {
    let mut events = Box::pin(events);
    futures::stream::poll_fn(move |cx| SHELF.sync_scope(shelf.clone(), || events.as_mut().poll_next(cx)))
}

/// The text in the store, if this is an id.
pub(super) fn take_text(text_id: &str) -> Option<ObjectText> {
    let text_id = text_id.parse().ok()?;
    SHELF.try_with(|shelf| shelf.take(text_id)).ok()?
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;

    use super::*;

    #[tokio::test]
    async fn a_text_id_is_valid_once_and_in_order() {
        let shelf = RawTextStore::default();
        let text_ids = ["a", "b", "c"].map(|text| shelf.put(ObjectText::of(text, true)).to_string());
        assert!(take_text(&text_ids[0]).is_none(), "no watch is registered");
        let asked = [&text_ids[1], &text_ids[1], &text_ids[0], "{}", &text_ids[2]];
        let take = |text_id| take_text(text_id).map(|object| object.text);
        let found: Vec<_> = with_raw_texts(shelf, futures::stream::iter(asked).map(take)).collect().await;
        assert_eq!(found, [Some("b".to_owned()), None, None, None, Some("c".to_owned())]);
    }
}
