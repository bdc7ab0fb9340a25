//! The cost of a call without its arguments, which depends on the size of the values.

use kube_cel::cel::Value as Cel;

use super::hidden_names::SORT_BY;
use super::list::items;
use super::operators::size;
use super::optional::held;

/// The part of the cost that depends on the arguments; a target is the first value.
pub(super) fn before(name: &str, values: &[Cel]) -> u64 {
    let sized = |at: usize| values.get(at).map_or(0, large);
    match (name, values) {
        ("startsWith" | "endsWith", _) => tenth(sized(1)),
        ("contains", _) => tenth(sized(0)) * tenth(sized(1)),
        ("matches" | "find" | "findAll", _) => tenth(sized(0) + 1) * sized(1).div_ceil(4),
        ("@in", [_, list]) if items(list).is_some() => large(list),
        ("_==_" | "_!=_", [a, b]) => tenth(large(a).min(large(b))),
        ("_<_" | "_<=_" | "_>_" | "_>=_", [a, b]) if is_text(a) => tenth(large(a).min(large(b))),
        ("_+_", [a, b]) if is_text(a) => tenth(large(a) + large(b)),
        ("bytes" | "string", [text]) if is_text(text) => tenth(large(text)),
        ("lowerAscii" | "upperAscii" | "trim" | "substring" | "strings.quote" | "url", _) => tenth(sized(0)),
        ("quantity" | "isQuantity" | "ip" | "isIP" | "cidr" | "isCIDR" | "semver" | "isSemver", [text, ..])
            if is_text(text) =>
        {
            tenth(large(text))
        }
        ("ip.isCanonical" | "replace" | "split", _) => tenth(2 * sized(0)),
        ("isSorted" | "sum" | "min" | "max" | "indexOf" | "lastIndexOf", [list, ..]) => through(list),
        ("validate", [Cel::Opaque(format), text]) => {
            tenth(large(text) + 1) * pattern_of(&format!("{:?}", format.as_debug()))
        }
        ("sets.contains" | "sets.intersects", [a, b]) => large(a) * large(b) + 1,
        ("sets.equivalent", [a, b]) => 2 * large(a) * large(b) + 1,
        ("distinct" | "sort", [list]) | (SORT_BY, [_, list]) => compared(list),
        ("flatten", [list, rest @ ..]) => match rest {
            [Cel::Int(levels)] => large(list).saturating_mul(levels.unsigned_abs()) + ALLOCATED,
            _ => large(list) + ALLOCATED,
        },
        ("containsIP", [_, other]) => 1 + parsed(other),
        ("containsCIDR", [_, other]) => 3 + parsed(other),
        ("join" | "slice" | "reverse" | "lists.range", _) => 0,
        _ => 1,
    }
}

/// The estimated cost of the pattern of a named format; the debug output of the format identifies it.
fn pattern_of(format: &str) -> u64 {
    let costs = [
        ("LabelValue", 10),
        ("Label", 8),
        ("Subdomain", 15),
        ("QualifiedName", 15),
        ("Uri", 276),
        ("Uuid", 18),
        ("Byte", 21),
        ("Date", 18),
    ];
    costs.iter().find(|(name, _)| format.contains(name)).map_or(0, |(_, cost)| *cost)
}

/// The part of the cost that depends on the result.
pub(super) fn after(name: &str, given: &Cel) -> u64 {
    match name {
        "join" => tenth(2 * large(given)),
        "slice" | "reverse" | "lists.range" => large(given) + ALLOCATED,
        _ => 0,
    }
}

/// The cost of the call and of allocating its new list.
const ALLOCATED: u64 = 11;

/// The cost of comparing each item of a list with each other item.
fn compared(list: &Cel) -> u64 {
    let pairs = large(list) * large(list);
    let is_of_texts = items(list).and_then(|items| items.first()).is_some_and(is_text);
    2 * pairs + if is_of_texts { tenth(pairs) } else { 0 } + ALLOCATED
}

/// The cost of parsing an address if it is a string.
fn parsed(address: &Cel) -> u64 {
    if is_text(address) { tenth(large(address)) } else { 0 }
}

/// The cost of reading a string.
fn tenth(size: u64) -> u64 {
    size.div_ceil(10)
}

fn is_text(value: &Cel) -> bool {
    matches!(value, Cel::String(_) | Cel::Bytes(_))
}

/// The size of a value; a scalar has size 1.
fn large(value: &Cel) -> u64 {
    match held(value) {
        Some(Some(value)) => large(value),
        _ => size(value).map_or(1, |size| size as u64),
    }
}

/// The cost of reading a value with all its contents.
fn through(value: &Cel) -> u64 {
    match (value, items(value)) {
        (Cel::String(text), _) => text.len() as u64 / 10,
        (Cel::Bytes(bytes), _) => bytes.len() as u64 / 10,
        (Cel::Map(map), _) => map.map.iter().map(|(key, value)| through(&key.into()) + through(value)).sum(),
        (_, Some(items)) => items.iter().map(through).sum(),
        _ => 1,
    }
}
