//! Only parts of the path are read.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact/{id}", of = GitRepository)]
fn artifact(_repo: &GitRepository, request: Call<'_>) -> Reply {
    let id = request.param("id");
    Reply::text(format!("{id}{}", request.param("idd")))
}

fn main() {
    ui_tests::route::<artifact>();
}
