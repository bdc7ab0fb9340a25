//! Deeply nested JSON: levels beyond the limit are cut off. It is an error only if the server would store them.
//!
//! A cluster reads 10,000 levels, but it prunes most of such an object, since the schema does not contain its fields.

use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::api_error::Failure;
use crate::strict;

/// The maximum number of JSON levels that this server reads; a cluster reads [`strict::DEEPEST`].
const LEVELS: usize = 127;

/// The placeholder of values that were cut off.
const CUT: &str = "evenkeel-testkit cut off what was here";

/// Returns the body without the levels beyond the limit.
///
/// Returns `None` if there are none, or if the body is invalid JSON, for which the parser has a better message.
pub(crate) fn cut(body: &[u8]) -> Option<Bytes> {
    let is_deep = matches!(strict::deepest(body), (levels, None) if levels > LEVELS);
    // The parser ignores values without recursion.
    if !is_deep || serde_json::from_slice::<IgnoredAny>(body).is_err() {
        return None;
    }
    let (mut out, mut level, mut is_text, mut is_escaped) = (Vec::with_capacity(body.len()), 0_usize, false, false);
    for byte in body {
        let opens = !is_text && matches!(byte, b'{' | b'[');
        level += usize::from(opens);
        if opens && level == LEVELS + 1 {
            out.extend_from_slice(format!("\"{CUT}\"").as_bytes());
        } else if level <= LEVELS {
            out.push(*byte);
        }
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'}' | b']' if !is_text => level -= 1,
            _ => {}
        }
    }
    Some(out.into())
}

/// Rejects an object if the values that were cut off would be stored.
pub(crate) fn whole(object: &Value) -> Result<(), Failure> {
    match lacks(object) {
        true => Err(Failure::not_done("objects that keep more than 127 levels")),
        false => Ok(()),
    }
}

fn lacks(value: &Value) -> bool {
    match value {
        Value::String(text) => text == CUT,
        Value::Array(items) => items.iter().any(lacks),
        Value::Object(fields) => fields.values().any(lacks),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deep(levels: usize) -> String {
        format!("{}\"]\\\"\"{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn only_levels_beyond_the_limit_are_cut_off() {
        let body = format!("{{\"a\":{},\"b\":{},\"c\":1}}", deep(4_000), deep(126));
        let read: Value = serde_json::from_slice(&cut(body.as_bytes()).unwrap()).unwrap();
        assert_eq!((&read["c"], lacks(&read["a"]), lacks(&read["b"])), (&json!(1), true, false));
        assert!(whole(&read).is_err() && whole(&json!({ "c": [1] })).is_ok());
    }

    #[test]
    fn shallow_and_invalid_bodies_are_not_cut() {
        for body in [deep(127), deep(20_000), "[".repeat(200), format!("{} x", deep(200))] {
            assert_eq!(cut(body.as_bytes()), None);
        }
    }
}
