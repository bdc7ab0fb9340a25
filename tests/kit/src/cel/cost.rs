//! The estimated maximum cost of an expression, as a server computes it before it accepts a rule.

use super::found::{Found, Span};
use super::hidden_names::SORT_BY;
use super::types::Type;

/// The cost of a call without its arguments, and the size of its result if it is known.
pub(super) fn of_call(name: &str, target: Option<&Found>, args: &[Found]) -> (Span, Option<Span>) {
    let one = Span::exactly(1);
    let size = |found: &Found| found.size_or_unknown();
    let read = |found: Option<&Found>| found.map_or(one, |found| size(found).read());
    match (name, target, args) {
        ("_==_" | "_!=_", _, [a, b]) => (compared(size(a), size(b)), None),
        ("_<_", _, [a, b]) => (by_type(a, b, compared(size(a), size(b))), None),
        ("_+_", _, [a, b]) => added(a, b),
        ("@in", _, [_, list]) => match list.kind {
            Type::Map(..) => (one, None),
            _ => (size(list), None),
        },
        ("startsWith" | "endsWith", Some(_), [part]) => (size(part).read(), None),
        ("contains", Some(text), [part]) => (size(text).read().times(size(part).read()), None),
        ("matches", Some(text), [pattern]) | ("matches", None, [text, pattern]) => (matched(text, pattern), None),
        ("find" | "findAll", Some(text), [pattern, ..]) => (matched(text, pattern), Some(Span::up_to(size(text).max))),
        ("bytes", None, [text]) if text.kind == Type::Text => {
            (size(text).read(), Some(Span { min: size(text).min, max: size(text).max.saturating_mul(4) }))
        }
        ("string", None, [bytes]) if bytes.kind == Type::Bytes => {
            (size(bytes).read(), Some(Span { min: size(bytes).min / 4, max: size(bytes).max }))
        }
        ("lowerAscii" | "upperAscii" | "trim" | "substring", Some(text), _) => {
            (size(text).read(), Some(Span::up_to(size(text).max)))
        }
        // The text is read once and written once, in parts.
        ("split", Some(text), _) => (size(text).scaled(0.2), Some(Span::up_to(size(text).max))),
        ("replace", Some(text), [what, with, ..]) => replaced(size(text), size(what), size(with)),
        ("join", Some(list), _) => joined(list, args.first()),
        ("slice", Some(_), [from, to]) => {
            let from = from.number.unwrap_or_default();
            allocated(1.0, Span::exactly(to.number.map_or(u64::MAX, |to| to.wrapping_sub(from).cast_unsigned())))
        }
        ("reverse", Some(list), []) => allocated(1.0, size(list)),
        ("flatten", Some(list), []) => allocated(1.0, size(list)),
        ("flatten", Some(list), [levels]) => {
            allocated(levels.number.map_or(f64::MAX, |levels| levels as f64), size(list))
        }
        ("lists.range", None, [count]) => {
            allocated(1.0, Span::exactly(count.number.map_or(u64::MAX, i64::cast_unsigned)))
        }
        ("distinct", Some(list), []) => allocated(2.0, size(list).times(size(list))),
        ("sort", Some(list), []) | (SORT_BY, Some(_), [list]) => {
            let each = if is_of_texts(list) { 2.1 } else { 2.0 };
            allocated(each, size(list).times(size(list)))
        }
        ("sets.contains" | "sets.intersects", None, [a, b]) => (size(a).times(size(b)).plus(one), None),
        ("sets.equivalent", None, [a, b]) => (size(a).times(size(b)).scaled(2.0).plus(one), None),
        // The estimate assumes a long pattern for every format.
        ("validate", Some(_), [text]) => (size(text).plus(one).read().times(Span::up_to(32)), None),
        ("ip.isCanonical", None, [text]) => (size(text).scaled(0.2), None),
        ("containsIP", Some(_), [other]) => (Span { min: 1, max: 4 }.plus(parsed(other)), None),
        ("containsCIDR", Some(_), [other]) => (Span { min: 3, max: 7 }.plus(parsed(other)), None),
        ("isSorted" | "sum" | "min" | "max" | "indexOf" | "lastIndexOf", Some(list), _) => (searched(list), None),
        ("quantity" | "isQuantity" | "url" | "isURL" | "ip" | "isIP" | "cidr" | "isCIDR" | "semver", None, args) => {
            (read(args.first()), None)
        }
        _ => (one, None),
    }
}

fn compared(a: Span, b: Span) -> Span {
    let max = a.max.min(b.max);
    Span { min: max.min(1), max }.read()
}

/// The cost of an operator: strings are read and numbers are not. For unknown types the cost is a range.
fn by_type(a: &Found, b: &Found, read: Span) -> Span {
    let is_text = |found: &Found| matches!(found.kind, Type::Text | Type::Bytes);
    let is_open = |found: &Found| matches!(found.kind, Type::Dyn | Type::Free);
    match (a, b) {
        _ if is_text(a) || is_text(b) => read,
        _ if is_open(a) && is_open(b) => read.or(Span::exactly(1)),
        _ => Span::exactly(1),
    }
}

fn added(a: &Found, b: &Found) -> (Span, Option<Span>) {
    let result = a.size_or_unknown().plus(b.size_or_unknown());
    let sized = !matches!((&a.kind, &b.kind), (Type::Int | Type::Uint | Type::Double, _));
    (by_type(a, b, result.read()), sized.then_some(result))
}

/// A server assumes one part of the pattern for every four characters.
fn matched(text: &Found, pattern: &Found) -> Span {
    let text = text.size_or_unknown().plus(Span::exactly(1)).read();
    text.times(pattern.size_or_unknown().scaled(0.25))
}

fn replaced(text: Span, what: Span, with: Span) -> (Span, Option<Span>) {
    let times = |size: u64, parts: u64, each: u64| size.div_ceil(parts.max(1)).saturating_mul(each);
    let result = Span {
        min: times(text.min, what.max, with.min).min(text.min),
        max: times(text.max, what.min, with.max).max(text.max),
    };
    (text.read().plus(result.read()), Some(result))
}

fn joined(list: &Found, between: Option<&Found>) -> (Span, Option<Span>) {
    let count = list.size_or_unknown();
    let item = match &list.kind {
        Type::List(item) => Span::up_to(item.max),
        _ => Span::UNKNOWN,
    };
    let between = between.map_or(Span::exactly(0), Found::size_or_unknown);
    let result = count.times(item.plus(between));
    (result.read(), Some(result))
}

/// The cost and size of a new list; `each` is the cost per item.
fn allocated(each: f64, size: Span) -> (Span, Option<Span>) {
    (size.scaled(each).plus(Span::exactly(11)), Some(size))
}

fn is_of_texts(list: &Found) -> bool {
    matches!(&list.kind, Type::List(item) if matches!(item.kind, Type::Text | Type::Bytes))
}

/// The cost of parsing an address if it is a string.
fn parsed(address: &Found) -> Span {
    if address.kind == Type::Text { address.size_or_unknown().read() } else { Span::exactly(0) }
}

fn searched(list: &Found) -> Span {
    let size = list.size_or_unknown();
    match &list.kind {
        Type::List(item) if is_of_texts(list) => size.times(Span::up_to(item.max).read().plus(Span::exactly(1))),
        Type::List(_) => size,
        _ => size.read(),
    }
}
