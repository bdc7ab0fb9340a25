//! A function without the attribute is no rule.
use ui_tests::GitRepositorySpec;

fn judged(new: &GitRepositorySpec) -> bool {
    !new.url.is_empty()
}

struct Judged;

fn main() {
    let _ = judged;
    ui_tests::enforce::<Judged>();
}
