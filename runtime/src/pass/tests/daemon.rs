//! Daemons and the gate of the process.

use std::sync::atomic::{AtomicI32, Ordering};

use serde_json::json;

use super::context::{PLAIN, STEP, key, object, of_wiring, thing};
use crate::wiring::{DaemonHandler, Wiring};

static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Counts itself while it runs.
struct Here;

impl Drop for Here {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

const FOLLOW: DaemonHandler = DaemonHandler {
    step: &STEP,
    timeout: None,
    run: |_, _, _| {
        Box::pin(async {
            RUNNING.fetch_add(1, Ordering::SeqCst);
            let _here = Here;
            std::future::pending().await
        })
    },
};
static FOLLOWED: Wiring = Wiring { daemons: &[FOLLOW], ..PLAIN };

/// Lets the daemons run until they wait.
async fn turns() -> i32 {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    RUNNING.load(Ordering::SeqCst)
}

#[tokio::test]
async fn a_daemon_runs_only_while_the_process_may_write() {
    let (context, script) = of_wiring(&FOLLOWED, |_| Box::pin(async { Ok(()) }), []);
    let object = object(&thing("1", &json!({})));
    context.start_daemons(&key(), &object);
    assert_eq!(turns().await, 1);
    script.gate.close();
    assert_eq!(turns().await, 0);
    script.gate.reopen();
    assert_eq!(turns().await, 1);
    context.start_daemons(&key(), &object);
    assert_eq!(turns().await, 1, "it runs already");
    context.env.stop.cancel();
    assert_eq!(turns().await, 0);
}
