//! The function takes the kind of the route.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

use k8s_openapi::api::core::v1::Secret;

#[route(get, "/artifact", of = GitRepository)]
fn artifact(_secret: &Secret) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
