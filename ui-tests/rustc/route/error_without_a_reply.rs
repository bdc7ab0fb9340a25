//! An error of a route converts to a reply.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
async fn artifact(_repo: &GitRepository) -> Result<Reply, String> {
    Ok(Reply::empty())
}

fn main() {
    ui_tests::route::<artifact>();
}
