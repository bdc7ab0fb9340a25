//! Fields on the wire have names.
use evenkeel::prelude::*;

#[status]
struct MirrorStatus(Option<String>);

fn main() {
    let _ = MirrorStatus(None);
}
