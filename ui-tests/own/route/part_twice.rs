//! A part has its own name.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact/{id}/{id}", of = GitRepository)]
fn artifact(_repo: &GitRepository, request: Call<'_>) -> Reply {
    Reply::text(request.param("id"))
}

fn main() {
    ui_tests::route::<artifact>();
}
