//! A strict JSON parser that also returns duplicate fields.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A parsed value. Of duplicate fields, it contains the last one.
#[derive(Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) value: Value,
    /// The paths of duplicate fields, such as `spec.size`.
    pub(crate) duplicates: Vec<String>,
}

/// Parses JSON.
///
/// # Errors
/// Returns the error of the parser.
pub(crate) fn read(json: &[u8]) -> Result<Read, serde_json::Error> {
    let (value, walk) = walked(json)?;
    Ok(Read { value, duplicates: walk.duplicates })
}

/// The maximum number of JSON levels that a real server reads.
pub(crate) const DEEPEST: usize = 10_000;

/// Returns the number of levels, and the bracket that exceeds [`DEEPEST`].
pub(crate) fn deepest(json: &[u8]) -> (usize, Option<char>) {
    let (mut level, mut deepest, mut is_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => {
                level += 1;
                deepest = deepest.max(level);
                if level > DEEPEST {
                    return (level, Some(char::from(*byte)));
                }
            }
            b'}' | b']' if !is_text => level = level.saturating_sub(1),
            _ => {}
        }
    }
    (deepest, None)
}

/// Returns the message for invalid JSON: that of a real server for too many levels, else that of the parser.
pub(crate) fn told(json: &[u8], error: &serde_json::Error) -> String {
    match deepest(json) {
        (_, Some(bracket)) => format!("invalid character '{bracket}' exceeded max depth"),
        _ => error.to_string(),
    }
}

/// Returns the paths of all fields in the order of the text, none for invalid JSON.
pub(crate) fn fields(json: &[u8]) -> Vec<String> {
    walked(json).map(|(_, walk)| walk.fields).unwrap_or_default()
}

fn walked(json: &[u8]) -> Result<(Value, Walk), serde_json::Error> {
    let mut walk = Walk::default();
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let value = Node(&mut walk).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok((value, walk))
}

#[derive(Default)]
struct Walk {
    path: String,
    fields: Vec<String>,
    duplicates: Vec<String>,
}

impl Walk {
    fn within<T>(&mut self, step: fmt::Arguments<'_>, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        // Writing to a String cannot fail.
        let _ = fmt::Write::write_fmt(&mut self.path, step);
        let out = read(self);
        self.path.truncate(length);
        out
    }

    fn field<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.within(format_args!("{dot}{name}"), |walk| {
            walk.fields.push(walk.path.clone());
            read(walk)
        })
    }
}

/// The value at the current path of the walk.
struct Node<'a>(&'a mut Walk);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) =
            self.0.within(format_args!("[{}]", list.len()), |walk| items.next_element_seed(Node(walk)))?
        {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let twice = map.contains_key(&name);
            let value = self.0.field(&name, |walk| {
                if twice && !walk.duplicates.contains(&walk.path) {
                    walk.duplicates.push(walk.path.clone());
                }
                members.next_value_seed(Node(walk))
            })?;
            map.insert(name, value);
        }
        Ok(map.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_duplicate_field_counts() {
        let read = read(br#"{"spec":{"l":[{"a":1,"a":2,"a":3}],"size":1},"x":{"size":2}}"#).unwrap();
        assert_eq!(read.value, json!({"spec": {"l": [{"a": 3}], "size": 1}, "x": {"size": 2}}));
        assert_eq!(read.duplicates, ["spec.l[0].a"]);
    }

    #[test]
    fn fields_are_in_the_order_of_the_text() {
        assert_eq!(fields(br#"{"b":{"z":1,"a":2},"a":[{"q":1}]}"#), ["b", "b.z", "b.a", "a", "a[0].q"]);
    }

    #[test]
    fn brackets_in_strings_are_not_levels() {
        assert_eq!(deepest(br#"{"a[[[\"[":[{"b":1}],"c":[]}"#), (3, None));
        assert_eq!(deepest("[".repeat(DEEPEST).as_bytes()), (DEEPEST, None));
        assert_eq!(deepest("[".repeat(DEEPEST + 7).as_bytes()), (DEEPEST + 1, Some('[')));
    }

    #[test]
    fn invalid_json_is_rejected() {
        assert!(read(b"{} x").is_err() && read(b"").is_err() && fields(b"{").is_empty());
    }
}
