//! Why an object does not fit its type: the path of the field and the error, without the value of the field.

use std::borrow::Cow;
use std::panic::{UnwindSafe, catch_unwind};

use serde::de::Error as _;
use serde_path_to_error::{Segment, Track};

/// Catches panics in the type's own `Deserialize`, which must end neither a watch nor a pass.
pub(crate) fn caught<K>(decode: impl FnOnce() -> serde_json::Result<K> + UnwindSafe) -> Result<K, String> {
    let decoded = catch_unwind(decode);
    decoded
        .unwrap_or_else(|_| Err(serde_json::Error::custom("its decoder panicked")))
        .map_err(|error| error.to_string())
}

/// The path of the field that does not fit, such as `spec.containers.1.name`. It ends at a type that is flattened, untagged or has a tag
/// inside, as serde collects its fields first.
pub(crate) fn path(track: Track) -> String {
    let path = track.path();
    let steps = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key: name } | Segment::Enum { variant: name } => Some(name.clone()),
        Segment::Unknown => None,
    });
    steps.collect::<Vec<_>>().join(".")
}

/// `spec.replicas: invalid type ..`.
pub(crate) fn described(field: &str, error: &str) -> String {
    let colon = if field.is_empty() { "" } else { ": " };
    format!("{field}{colon}{}", without_value(error))
}

/// Removes the quoted string from an error of serde, since it may be a secret.
fn without_value(error: &str) -> Cow<'_, str> {
    let quoted = ["invalid type: string \"", "invalid value: string \""];
    let Some(start) = quoted.into_iter().find(|start| error.starts_with(start)) else { return Cow::Borrowed(error) };
    let kept = start.trim_end_matches([' ', '"']);
    let rest = error.rfind("\", expected ").map_or("", |at| &error[at + 1..]);
    Cow::Owned(format!("{kept}{rest}"))
}
