//! An operator whose step does not end in time.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use evenkeel::prelude::*;
use kube::ResourceExt;

use crate::widget::Widget;

/// The conditions of a widget.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum StubbornCondition {
    /// The work is done.
    #[condition(positive)]
    Worked,
}

/// Works until the file exists, and creates the file `began` next to it: on a separate thread, or on the runtime thread if `fetch` of the
/// spec is `hogs`.
#[sub_reconciler(sets(on::Worked))]
pub async fn work(widget: &Widget, until: &Arc<Path>, cx: &mut Cx<'_, work>) -> Result<(), ApiError> {
    let until = until.clone();
    std::fs::write(until.with_file_name("began"), "").expect("the folder can be written");
    let labour = move || {
        // The folder is removed when the test is over.
        while !until.exists() && until.parent().is_some_and(Path::exists) {
            thread::sleep(Duration::from_millis(5));
        }
    };
    println!("began {}", widget.name_any());
    match widget.spec.fetch.as_deref() {
        Some("hogs") => labour(),
        _ => cx.blocking(labour).await,
    }
    println!("worked");
    Ok(())
}

/// The pipeline.
#[reconciler(conditions = StubbornCondition, requeue = "10m", timeout = "1h")]
pub async fn stubborn(widget: &Widget, until: &Arc<Path>, cx: &mut Pass<'_>) -> PassResult {
    work(widget, until, cx).await?;
    Ok(())
}
