//! A part in braces is read.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact/{id}", of = GitRepository)]
fn artifact(_repo: &GitRepository, request: Call<'_>) -> Reply {
    Reply::text(request.query("id").unwrap_or_default())
}

fn main() {
    ui_tests::route::<artifact>();
}
