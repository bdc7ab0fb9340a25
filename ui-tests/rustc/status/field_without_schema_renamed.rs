//! A type in the status that derives no schema, where the runtime has another name.
mod vendor {
    pub use evenkeel as keel;
}

#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
struct Seen { at: String }

#[vendor::keel::status(crate = crate::vendor::keel)]
struct MirrorStatus { seen: Option<Seen> }

fn main() {
    let _ = MirrorStatus::default().seen;
}
