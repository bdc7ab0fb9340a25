//! Only parts of the path are read.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
fn artifact(_repo: &GitRepository, request: Call<'_>) -> Reply {
    Reply::text(request.param("id"))
}

fn main() {
    ui_tests::route::<artifact>();
}
