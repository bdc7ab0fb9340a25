//! A status owns what it holds.
use evenkeel::prelude::*;

#[status]
pub struct MirrorStatus<'a> {
    pub revision: Option<&'a str>,
}

fn main() {
    let _ = MirrorStatus::default();
}
