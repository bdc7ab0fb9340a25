//! Detects hot objects, which change faster than a pass takes.

use std::time::Duration;

use tokio::time::Instant;

/// Number of consecutive outdated status writes that makes an object hot.
const CONFLICTS: u32 = 2;

/// Time without a change during a pass after which a hot object counts as quiet.
pub(in crate::pass) const QUIET: Duration = Duration::from_secs(1);

/// The recent changes to an object during its passes.
#[derive(Debug, Default, PartialEq)]
pub(in crate::pass) struct HotObject {
    /// Number of consecutive outdated status writes.
    outdated: u32,
    /// When the hot object last changed during a pass; `None`: it has not been hot.
    at: Option<Instant>,
}

impl HotObject {
    /// Counts an outdated status write.
    pub(in crate::pass) fn outdated(&mut self) {
        self.outdated += 1;
        if self.outdated >= CONFLICTS {
            *self = Self { outdated: 0, at: Some(Instant::now()) };
        }
    }

    pub(in crate::pass) fn is_hot(&self) -> bool {
        self.at.is_some_and(|at| at.elapsed() < QUIET)
    }

    /// Records a status write. The object stays hot for a while if it changed during the pass.
    pub(in crate::pass) fn written(&mut self, is_still_hot: bool) {
        self.outdated = 0;
        if is_still_hot {
            self.at = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_object_is_hot_after_two_consecutive_outdated_writes() {
        let mut object = HotObject::default();
        object.outdated();
        object.written(false);
        object.outdated();
        assert!(!object.is_hot(), "a write between them went through");
        object.outdated();
        assert!(object.is_hot());
        tokio::time::advance(QUIET / 2).await;
        object.written(true);
        tokio::time::advance(QUIET / 2).await;
        assert!(object.is_hot(), "it changed under the pass again");
        object.written(false);
        tokio::time::advance(QUIET / 2).await;
        assert!(!object.is_hot());
    }
}
