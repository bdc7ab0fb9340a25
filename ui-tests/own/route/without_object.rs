//! A route takes its object.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
fn artifact(request: Call<'_>) -> Reply {
    Reply::text(request.query("a").unwrap_or_default())
}

fn main() {
    ui_tests::route::<artifact>();
}
