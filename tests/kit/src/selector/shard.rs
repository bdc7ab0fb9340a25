//! Shard selectors: ranges of the hash of the uid or the namespace, as API servers with the feature gate `ShardedListAndWatch` read them.
//!
//! They are a part of KEP-5866, which is alpha. The messages are those of the API server, except for texts that are not even CEL.

use std::fmt::{self, Display};
use std::ops::Range;

use serde_json::Value;

/// The end of the last range: 2^64, which has 17 digits.
const END: &str = "0x10000000000000000";

/// A parsed shard selector. Without ranges, it matches every object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shards {
    field: Field,
    ranges: Vec<Range<u128>>,
}

/// The hashed field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Field {
    #[default]
    Uid,
    Namespace,
}

impl Shards {
    /// Parses `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || ..`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Shards::default());
        }
        if text.trim().is_empty() {
            return Err("empty shard selector is not allowed; omit the parameter for unfiltered lists".to_owned());
        }
        let parsed = text.split("||").map(parse_range).collect::<Result<Vec<_>, _>>()?;
        let field = parsed.first().map(|(field, _)| *field).unwrap_or_default();
        match parsed.iter().find(|(other, _)| *other != field) {
            Some((other, _)) => {
                Err(format!("all shard ranges must use the same field, got \"{field}\" and \"{other}\""))
            }
            None => Ok(Shards { field, ranges: parsed.into_iter().map(|(_, range)| range).collect() }),
        }
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let hash = || u128::from(hash(object["metadata"][self.field.name()].as_str().unwrap_or_default()));
        self.is_empty() || self.ranges.iter().any(|range| range.contains(&hash()))
    }

    /// Whether the selector matches everything since the request has none.
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Field::Uid => "uid",
            Field::Namespace => "namespace",
        }
    }
}

impl Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object.metadata.{}", self.name())
    }
}

impl Display for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Range { start, end }) in self.ranges.iter().enumerate() {
            let separator = if index == 0 { "" } else { " || " };
            write!(f, "{separator}shardRange({}, '0x{start:016x}', '0x{end:016x}')", self.field)?;
        }
        Ok(())
    }
}

fn parse_range(text: &str) -> Result<(Field, Range<u128>), String> {
    let call = text.trim().strip_suffix(')').and_then(|call| call.split_once('('));
    let Some((function, arguments)) = call else {
        return Err("unexpected expression kind 3; expected shardRange() call or || operator".to_owned());
    };
    if function.trim() != "shardRange" {
        return Err(format!("unsupported function \"{}\"; only shardRange() and || are allowed", function.trim()));
    }
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
    let [field, start, end] = arguments[..] else {
        return Err(format!("shardRange() requires exactly 3 arguments, got {}", arguments.len()));
    };
    let field = match field {
        "object.metadata.uid" => Field::Uid,
        "object.metadata.namespace" => Field::Namespace,
        other => {
            let supported = "object.metadata.uid, object.metadata.namespace";
            return Err(format!("unsupported field path \"{other}\"; supported: {supported}"));
        }
    };
    let range = parse_bound("hexStart", start)?..parse_bound("hexEnd", end)?;
    if range.is_empty() {
        let Range { start, end } = range;
        return Err(format!("shard range start 0x{start:016x} must be less than end 0x{end:016x}"));
    }
    Ok((field, range))
}

/// Parses a quoted bound of 16 hexadecimal digits, or [`END`].
fn parse_bound(name: &str, argument: &str) -> Result<u128, String> {
    let quoted = |mark: char| argument.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
    let text = quoted('\'').or_else(|| quoted('"')).ok_or("CEL parse error: invalid literal")?;
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("{name} must have '0x' prefix, got \"{text}\""))?;
    match digits.len() {
        16 => {}
        17 if text == END => return Ok(1 << 64),
        17 => return Err(format!("{name}: 17-digit hex value must be '{END}' (2^64), got \"{text}\"")),
        length => {
            let hint = if length < 16 { format!(" (did you mean \"0x{digits:0>16}\"?)") } else { String::new() };
            return Err(format!("{name} must be a 0x-prefixed 16-digit hex value, got \"{text}\"{hint}"));
        }
    }
    match digits.chars().find(|digit| !matches!(digit, '0'..='9' | 'a'..='f')) {
        Some(digit) => Err(format!("{name}: invalid hex character \"{digit}\" in \"{text}\"")),
        None => u128::from_str_radix(digits, 16).map_err(|error| error.to_string()),
    }
}

/// FNV-1a with 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_shard_selector_selects_by_the_hash() {
        let of = |uid: &str| json!({"metadata": {"uid": uid, "namespace": "a"}});
        // The hashes of "a" and "b" are 0xaf63dc4c8601ec8c and 0xaf63df4c8601f1a5.
        let range = "shardRange(object.metadata.uid, '0xaf63dc4c8601ec8c', '0xaf63df4c8601f1a5')";
        let one = Shards::parse(range).unwrap();
        assert!(one.matches(&of("a")) && !one.matches(&of("b")), "the end is not part of the range");
        let both = "shardRange(object.metadata.uid,\"0xaf63df4c8601f1a5\",'0x10000000000000000')";
        let both = Shards::parse(&format!(" {range}||{both}")).unwrap();
        assert!(both.matches(&of("a")) && both.matches(&of("b")));
        let namespace = range.replace("uid", "namespace");
        assert!(Shards::parse(&namespace).unwrap().matches(&of("b")));
        assert!(Shards::default().matches(&of("b")));
        assert_eq!(Shards::parse(&both.to_string()).unwrap(), both);
    }

    #[test]
    fn an_unreadable_shard_selector_is_explained() {
        let range = |field: &str, start: &str, end: &str| format!("shardRange({field}, '{start}', '{end}')");
        let of_uid = |start: &str, end: &str| range("object.metadata.uid", start, end);
        let (begin, middle, end) = ("0x0000000000000000", "0x8000000000000000", "0x10000000000000000");
        let mixed = format!("{} || {}", of_uid(begin, middle), range("object.metadata.namespace", middle, end));
        for (text, part) in [
            (" ".to_owned(), "empty shard selector is not allowed"),
            ("rubbish".to_owned(), "unexpected expression kind 3"),
            ("size('a')".to_owned(), "unsupported function \"size\""),
            (format!("{} || ", of_uid(begin, end)), "unexpected expression"),
            ("shardRange('x', 'y')".to_owned(), "requires exactly 3 arguments, got 2"),
            (range("object.metadata.name", begin, end), "unsupported field path \"object.metadata.name\""),
            ("shardRange(object.metadata.uid, 0x0, 0x1)".to_owned(), "CEL parse error"),
            (of_uid("0", end), "hexStart must have '0x' prefix, got \"0\""),
            (of_uid("0x400", end), "16-digit hex value, got \"0x400\" (did you mean \"0x0000000000000400\"?)"),
            (of_uid(begin, "0xF000000000000000"), "hexEnd: invalid hex character \"F\""),
            (of_uid(begin, "0x10000000000000001"), "17-digit hex value must be '0x10000000000000000' (2^64)"),
            (of_uid(middle, middle), "start 0x8000000000000000 must be less than end 0x8000000000000000"),
            (mixed, "must use the same field, got \"object.metadata.uid\" and \"object.metadata.namespace\""),
        ] {
            let error = Shards::parse(&text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
