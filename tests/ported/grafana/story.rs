//! Histories from the issues of the other system.

use std::time::Duration;

use serde_json::{Value, json};

use super::dequeue::is_cancelled;
use super::kinds::{Foreign, Policy, Record};
use super::lab::Lab;
use super::plot::End;
use super::watchers::{Held, Paced, records};

pub(super) async fn adapter(given: Value) -> Value {
    match (given["issue"].as_u64(), given["handler"].as_str()) {
        (Some(46), None) => deleted_while_add_fails().await,
        (Some(607), None) => {
            let mut lab = Lab::new().await;
            lab.plot.next("CREATE", [End::of(&given["reconciler"])]);
            lab.operate::<records>(lab.plot.clone());
            lab.create::<Record>("x").await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            json!({ "error_handler_called": lab.plot.errors() == 1 })
        }
        (Some(758), None) => {
            let mut lab = Lab::new().await;
            lab.plot.next("add", [End::error("E", Policy::default())]);
            lab.operate::<Held>(Held(lab.plot.clone()));
            lab.create::<Foreign>("x").await;
            lab.settle().await;
            assert_eq!((lab.plot.count("add"), lab.held::<Foreign>().await), (1, vec!["wip".to_owned()]));
            tokio::time::sleep(Duration::from_secs(5)).await;
            json!({ "add_retried": lab.plot.count("add") == 2 })
        }
        (Some(43), None) => json!({ "cancelled": cancelled().await }),
        (None, Some("slow")) => json!({ "other_objects_retries_on_time": is_on_time().await }),
        _ => panic!("{given}"),
    }
}

async fn deleted_while_add_fails() -> Value {
    let mut lab = Lab::new().await;
    lab.plot.always("add", End::error("E", Policy::default()));
    lab.plot.lock().takes.insert("x".into(), Duration::from_secs(1));
    lab.operate::<Held>(Held(lab.plot.clone()));
    lab.create::<Foreign>("x").await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    lab.delete::<Foreign>().await;
    let mut gone_before = false;
    for _ in 0..600 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        gone_before |= lab.plot.count("delete") == 0 && lab.object::<Foreign>().await.is_null();
    }
    let gone = lab.object::<Foreign>().await.is_null();
    json!({ "delete_handled": gone && lab.plot.count("delete") == 1, "object_gone_before": gone_before })
}

/// The rule: a pending retry is replaced exactly if there is another version that counts.
async fn cancelled() -> &'static str {
    let mut follows = true;
    for (pending, new, is_other, wanted) in [
        ("UPDATE", "DELETE", false, true),
        ("UPDATE", "UPDATE", true, true),
        ("CREATE", "UPDATE", true, true),
        ("UPDATE", "UPDATE", false, false),
        ("CREATE", "UPDATE", false, false),
    ] {
        follows &= is_cancelled(Paced, &json!(pending), &json!(new), is_other).await == wanted;
    }
    if follows { "exactly when the policy says so" } else { "at other times" }
}

/// Whether the retries of an object are on time while the call for another one takes an hour.
async fn is_on_time() -> bool {
    let mut lab = Lab::new().await;
    lab.plot.lock().takes.insert("slow".into(), Duration::from_secs(3600));
    lab.operate::<Paced>(Paced(lab.plot.clone()));
    lab.create::<Record>("slow").await;
    lab.settle().await;
    assert_eq!(lab.plot.calls_of("slow").len(), 1);
    lab.plot.next("add", vec![End::error("E", Policy::Upstream); 3]);
    lab.create::<Record>("x").await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let pauses = lab.plot.pauses();
    pauses.len() == 3
        && pauses.iter().zip([5.0, 10.0, 20.0]).all(|(pause, most)| (0.74 * most..=most + 0.1).contains(pause))
}
