//! Lists in rules: plain lists, sets, and lists of type `map`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::{Key, Map, Opaque};

use super::optional::held;

/// A list that is a set or has keys according to its schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Typed {
    items: Arc<Vec<Cel>>,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Set,
    /// The escaped names of the key fields.
    Keyed(Vec<String>),
}

impl Opaque for Typed {
    fn runtime_type_name(&self) -> &'static str {
        "list"
    }
}

/// Creates a list of this kind.
pub(super) fn typed(items: Vec<Cel>, kind: Kind) -> Cel {
    Cel::Opaque(Arc::new(Typed { items: Arc::new(items), kind }))
}

fn as_typed(value: &Cel) -> Option<&Typed> {
    match value {
        Cel::Opaque(opaque) => opaque.downcast_ref::<Typed>(),
        _ => None,
    }
}

/// The items of a list of any kind.
pub(super) fn items(value: &Cel) -> Option<&Arc<Vec<Cel>>> {
    match value {
        Cel::List(items) => Some(items),
        other => as_typed(other).map(|list| &list.items),
    }
}

/// Converts the value for functions that support only plain lists.
pub(super) fn plain(value: &Cel) -> Cel {
    match value {
        Cel::Map(map) => {
            let map = map.map.iter().map(|(key, value)| (key.clone(), plain(value))).collect();
            Cel::Map(Map { map: Arc::new(map) })
        }
        other => match items(other) {
            Some(items) => Cel::List(Arc::new(items.iter().map(plain).collect())),
            None => other.clone(),
        },
    }
}

/// Whether two values are equal; the order of items does not matter in sets and in lists of type `map`.
///
/// As on a server, the kind of the left list determines the comparison.
pub(super) fn equal(a: &Cel, b: &Cel) -> bool {
    if let (Some(left), Some(right)) = (items(a), items(b)) {
        return left.len() == right.len()
            && match as_typed(a).map(|list| &list.kind) {
                None => left.iter().zip(right.iter()).all(|(a, b)| equal(a, b)),
                Some(Kind::Set) => Members::of(left).have_all(right),
                Some(Kind::Keyed(keys)) => same_items(left, right, keys),
            };
    }
    match (a, b) {
        (Cel::Map(a), Cel::Map(b)) => {
            a.map.len() == b.map.len()
                && a.map.iter().all(|(key, value)| b.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => match (held(a), held(b)) {
            (Some(Some(a)), Some(Some(b))) => equal(a, b),
            _ => a == b,
        },
    }
}

fn same_items(left: &[Cel], right: &[Cel], keys: &[String]) -> bool {
    let known: HashMap<_, _> = left.iter().map(|item| (key_of(item, keys), item)).collect();
    right.iter().all(|item| known.get(&key_of(item, keys)).is_some_and(|known| equal(known, item)))
}

/// Concatenates two lists. As on a server, the kind of the left list determines how: a set adds only new items, and a list of type `map`
/// replaces items with the same key.
pub(super) fn joined(a: &Cel, b: &Cel) -> Option<Cel> {
    let (left, right) = (items(a)?, items(b)?);
    let mut out = left.as_ref().clone();
    let Some(kind) = as_typed(a).map(|list| &list.kind) else {
        out.extend(right.iter().cloned());
        return Some(Cel::List(Arc::new(out)));
    };
    match kind {
        Kind::Set => {
            let mut members = Members::of(left);
            out.extend(right.iter().filter(|item| members.take(item)).cloned());
        }
        Kind::Keyed(keys) => {
            let at: HashMap<_, _> = left.iter().enumerate().map(|(at, item)| (key_of(item, keys), at)).collect();
            for item in right.iter() {
                match at.get(&key_of(item, keys)) {
                    Some(at) => out[*at] = item.clone(),
                    None => out.push(item.clone()),
                }
            }
        }
    }
    Some(typed(out, kind.clone()))
}

/// The values of the keys; numbers are compared in their printed form.
fn key_of(item: &Cel, keys: &[String]) -> Vec<Option<String>> {
    let Cel::Map(map) = item else { return Vec::new() };
    keys.iter().map(|key| map.get(&Key::from(key.as_str())).map(|value| format!("{value:?}"))).collect()
}

/// The members of a set, with fast lookup.
struct Members {
    known: HashSet<Key>,
    /// Values that can't be map keys, such as floats and objects.
    others: Vec<Cel>,
}

impl Members {
    fn of(items: &[Cel]) -> Self {
        let mut members = Self { known: HashSet::new(), others: Vec::new() };
        for item in items {
            members.take(item);
        }
        members
    }

    /// Adds the item and returns whether it is new.
    fn take(&mut self, item: &Cel) -> bool {
        match as_key(item) {
            Some(key) => self.known.insert(key),
            None if self.others.iter().any(|other| equal(other, item)) => false,
            None => {
                self.others.push(item.clone());
                true
            }
        }
    }

    fn have_all(&self, items: &[Cel]) -> bool {
        items.iter().all(|item| match as_key(item) {
            Some(key) => self.known.contains(&key),
            None => self.others.iter().any(|other| equal(other, item)),
        })
    }
}

/// The value as the key of a map; `None` if it can't be a key.
pub(super) fn as_key(value: &Cel) -> Option<Key> {
    match value {
        Cel::Int(number) => Some(Key::Int(*number)),
        Cel::UInt(number) => Some(Key::Uint(*number)),
        Cel::Bool(truth) => Some(Key::Bool(*truth)),
        Cel::String(text) => Some(Key::String(text.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(items: &[&str]) -> Cel {
        typed(items.iter().map(|item| (*item).into()).collect(), Kind::Set)
    }

    fn keyed(items: &[(&str, i64)]) -> Cel {
        let item = |(key, value): &(&str, i64)| -> Cel {
            HashMap::from([("k", Cel::from(*key)), ("v", Cel::Int(*value))]).into()
        };
        typed(items.iter().map(item).collect(), Kind::Keyed(vec!["k".to_owned()]))
    }

    fn list(items: &[&str]) -> Cel {
        Cel::List(Arc::new(items.iter().map(|item| (*item).into()).collect()))
    }

    #[test]
    fn the_left_list_decides_whether_order_matters() {
        assert!(equal(&set(&["a", "b"]), &list(&["b", "a"])) && !equal(&list(&["b", "a"]), &set(&["a", "b"])));
        assert!(!equal(&set(&["a", "b"]), &set(&["a", "c"])) && !equal(&set(&["a"]), &set(&["a", "b"])));
        assert!(equal(&keyed(&[("a", 1), ("b", 2)]), &keyed(&[("b", 2), ("a", 1)])));
        assert!(!equal(&keyed(&[("a", 1), ("b", 2)]), &keyed(&[("b", 2), ("a", 3)])));
    }

    #[test]
    fn sets_and_list_maps_join_without_duplicates() {
        let ordered = |value: Option<Cel>| plain(&value.unwrap());
        assert_eq!(ordered(joined(&set(&["b", "a"]), &list(&["c", "a", "c"]))), list(&["b", "a", "c"]));
        assert_eq!(ordered(joined(&list(&["a"]), &set(&["a"]))), list(&["a", "a"]));
        let merged = joined(&keyed(&[("a", 1), ("b", 2)]), &keyed(&[("c", 3), ("a", 4)]));
        assert_eq!(ordered(merged), plain(&keyed(&[("a", 4), ("b", 2), ("c", 3)])));
        assert_eq!(joined(&list(&[]), &Cel::Int(1)), None);
    }
}
