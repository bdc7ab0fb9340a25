//! The stubborn operator as a program with one worker thread: `STUBBORN_UNTIL=<file> stubborn --shutdown-timeout 1s`.

use std::path::PathBuf;

use evenkeel::Operator;
use evenkeel_tests::stubborn::stubborn;

#[tokio::main(flavor = "multi_thread", worker_threads = 1)]
async fn main() -> evenkeel::Result<()> {
    let until = PathBuf::from(std::env::var_os("STUBBORN_UNTIL").unwrap_or_default());
    Operator::new("tester").reconciler::<stubborn>(until.into()).run_cli().await
}
