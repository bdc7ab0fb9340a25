//! Jumps of the operator's wall clock, by libfaketime (Debian's package `faketime`).

use std::path::PathBuf;
use std::time::Duration;

use evenkeel_tests::trial::skipped;
use tokio::time::sleep;

use crate::yard::Yard;

/// Ahead by a day and by a year, then back behind the start.
const JUMPS: [&str; 4] = ["+1d", "+365d", "-1d", "+0"];

/// Jumps the clock while objects change.
pub async fn clock_jumps(yard: &Yard) {
    let Some(library) = library() else {
        skipped("libfaketime is not installed (Debian: faketime), so no clock jumps");
        return;
    };
    let offset = yard.beside("offset");
    std::fs::write(&offset, "+0").unwrap();
    yard.kill();
    yard.start(&[
        ("LD_PRELOAD", library.display().to_string()),
        ("FAKETIME_TIMESTAMP_FILE", offset.display().to_string()),
        ("FAKETIME_NO_CACHE", "1".to_owned()),
        // As on a real machine, where only the wall clock can be set.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ("DONT_FAKE_MONOTONIC", "1".to_owned()),
    ]);
    yard.settle("the operator under another clock").await;
    for jump in JUMPS {
        std::fs::write(&offset, jump).unwrap();
        sleep(Duration::from_millis(500)).await;
        yard.change(10).await;
        yard.settle(&format!("the clock at {jump}")).await;
    }
    yard.kill();
    yard.start(&[]);
    yard.settle("the operator under the real clock").await;
}

fn library() -> Option<PathBuf> {
    let folders = ["/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime", "/usr/lib/faketime"];
    folders.iter().map(|folder| PathBuf::from(folder).join("libfaketimeMT.so.1")).find(|path| path.exists())
}
