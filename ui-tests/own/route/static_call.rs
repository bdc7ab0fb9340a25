//! A request lasts for one call.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
async fn artifact(_repo: &GitRepository, request: Call<'static>) -> Reply {
    Reply::text(request.query("a").unwrap_or_default())
}

fn main() {
    ui_tests::route::<artifact>();
}
