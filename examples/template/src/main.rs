//! The program: it runs the operator, and prints all that is needed to install it.

#[tokio::main]
async fn main() -> evenkeel::Result<()> {
    operator::operator().run_cli().await
}
