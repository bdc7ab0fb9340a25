//! The signatures of the functions that rules can call.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::types::{Sized, Type};

/// One overload. The name of a library function such as `math.abs` includes the library, and it has no target.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) target: Option<Type>,
    pub(super) args: Vec<Type>,
    pub(super) result: Type,
}

/// The overloads of a function; empty if the function does not exist.
pub(super) fn of(name: &str) -> &'static [Signature] {
    ALL.get(name).map_or(&[], Vec::as_slice)
}

static ALL: LazyLock<HashMap<&'static str, Vec<Signature>>> = LazyLock::new(|| {
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for line in TABLE.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some((name, signature)) = read(line) {
            all.entry(name).or_default().push(signature);
        }
    }
    all
});

/// Parses `string.charAt(int) string`. Names that begin with `@` belong to a library and have no target.
fn read(line: &'static str) -> Option<(&'static str, Signature)> {
    let (head, rest) = line.split_once('(')?;
    let end = closing(rest)?;
    let args = list(&rest[..end]);
    let result = kind(rest[end + 1..].trim());
    let (target, name) = match head.strip_prefix('@') {
        Some(name) => (None, name),
        None if head.starts_with(['_', '-', '!']) => (None, head),
        None => match head.rsplit_once('.') {
            Some((target, name)) => (Some(kind(target)), name),
            None => (None, head),
        },
    };
    Some((name, Signature { target, args, result }))
}

/// The position of the closing bracket that matches the opening one before the text.
fn closing(text: &str) -> Option<usize> {
    text.char_indices().find(|(_, c)| *c == ')').map(|(at, _)| at)
}

fn list(text: &'static str) -> Vec<Type> {
    let mut depth = 0;
    let parts = text.split(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(kind).collect()
}

fn kind(text: &'static str) -> Type {
    let inner = |head: &str| text.strip_prefix(head)?.strip_prefix('<')?.strip_suffix('>');
    let of = |text| Box::new(Sized::unknown(kind(text)));
    if let Some(item) = inner("list") {
        return Type::List(of(item));
    }
    if let Some((key, value)) = inner("map").and_then(|both| both.split_once(',')) {
        return Type::Map(of(key), of(value.trim()));
    }
    if let Some(some) = inner("optional") {
        return Type::Optional(of(some));
    }
    match text {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::Text,
        "bytes" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "dyn" => Type::Dyn,
        "A" => Type::Param('A'),
        "B" => Type::Param('B'),
        "type" => Type::Kind(Box::new(Type::Dyn)),
        named => Type::Named(named),
    }
}

const TABLE: &str = include_str!("functions.txt");
