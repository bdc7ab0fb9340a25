//! What the operator's functions were called for: printed, and kept for the demo to wait for.

use std::time::Duration;

use examples::terminal::print_line;
use tokio::sync::watch;
use tokio::time::timeout;

const DEADLINE: Duration = Duration::from_secs(60);

/// The calls of the operator, in their order.
#[derive(Debug, Default)]
pub struct Journal(watch::Sender<Vec<String>>);

impl Journal {
    /// Prints a call and records it. A closed standard output ends the demo elsewhere.
    pub fn record(&self, call: String) {
        let _ = print_line(&format!("  {call}"));
        self.0.send_modify(|calls| calls.push(call));
    }

    /// Whether a call was recorded.
    pub fn has(&self, call: &str) -> bool {
        self.0.borrow().iter().any(|recorded| recorded == call)
    }

    /// Waits until a call is recorded.
    ///
    /// # Errors
    /// There is no such call within a minute.
    pub async fn until(&self, call: &str) -> Result<(), String> {
        let mut calls = self.0.subscribe();
        let recorded = calls.wait_for(|calls| calls.iter().any(|recorded| recorded == call));
        let recorded = timeout(DEADLINE, recorded).await.map_err(|_| format!("no `{call}` within {DEADLINE:?}"))?;
        recorded.map(drop).map_err(|error| error.to_string())
    }
}
