//! Recent answers of the API server, for a short time and of a limited number.

use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use tokio::time::Instant;

use crate::lock::Mutex;
use crate::sha256::sha256;

/// How long an answer counts. A token or a right that is withdrawn works for that long.
const TIME: Duration = Duration::from_secs(10);

/// The maximum number of answers; the least used ones are dropped first.
const MOST: NonZeroUsize = NonZeroUsize::new(1024).expect("it is not 0");

/// The hash of what was asked: no token is stored.
type Hash = [u8; 32];

/// Recent answers by the hash of the question.
pub(super) struct Recent<A>(Mutex<LruCache<Hash, (Instant, A)>>);

impl<A: Clone> Recent<A> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::new(MOST)))
    }

    /// The answer, from memory if it is recent, otherwise from the call. A failed call is not stored.
    pub(super) async fn or_ask<E>(&self, question: &[u8], ask: impl Future<Output = Result<A, E>>) -> Result<A, E> {
        let hash: Hash = sha256(question);
        if let Some(known) = self.get(&hash) {
            return Ok(known);
        }
        let asked = Instant::now();
        let answer = ask.await?;
        self.0.lock().put(hash, (asked, answer.clone()));
        Ok(answer)
    }

    fn get(&self, hash: &Hash) -> Option<A> {
        let mut known = self.0.lock();
        let (asked, answer) = known.get(hash)?;
        (asked.elapsed() < TIME).then(|| answer.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    async fn asked(recent: &Recent<u32>, question: &str, answer: u32) -> u32 {
        let Ok(answer) = recent.or_ask(question.as_bytes(), async { Ok::<_, Infallible>(answer) }).await;
        answer
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_counts_for_ten_seconds() {
        let recent = Recent::new();
        assert_eq!(asked(&recent, "a", 1).await, 1);
        tokio::time::advance(Duration::from_millis(9_999)).await;
        assert_eq!((asked(&recent, "a", 2).await, asked(&recent, "b", 3).await), (1, 3));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(asked(&recent, "a", 2).await, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_answers_is_limited_and_failures_are_not_stored() {
        let recent = Recent::new();
        for question in 0..MOST.get() + 10 {
            asked(&recent, &question.to_string(), 0).await;
        }
        assert_eq!(recent.0.lock().len(), MOST.get());
        assert_eq!(recent.or_ask(b"x", async { Err::<u32, _>("down") }).await, Err("down"));
        assert_eq!(asked(&recent, "x", 7).await, 7);
    }
}
