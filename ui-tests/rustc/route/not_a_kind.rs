//! A route is about a kind.
use evenkeel::prelude::*;

#[route(get, "/artifact", of = String)]
fn artifact(_repo: &String) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
