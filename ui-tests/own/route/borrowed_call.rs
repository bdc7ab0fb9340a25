//! A route owns its request.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
fn artifact(_repo: &GitRepository, request: &Call<'_>) -> Reply {
    Reply::text(request.query("a").unwrap_or_default())
}

fn main() {
    ui_tests::route::<artifact>();
}
