//! The future must be `Send`.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[mutate]
async fn check(_repo: &mut GitRepository) -> Result<(), Denial> {
    let shared = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(shared);
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
