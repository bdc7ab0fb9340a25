//! The order of a merged list: the order in the patch, and the order on the server for the other items.

use serde_json::Value;

/// The identity of the items of a list.
pub(super) enum Key {
    /// The items themselves.
    Value,
    /// The value of this field.
    Field(String),
}

impl Key {
    fn place(&self, item: &Value, list: &[Value]) -> Option<usize> {
        list.iter().position(|other| match self {
            Self::Value => other == item,
            Self::Field(key) => other.get(key) == item.get(key),
        })
    }
}

/// Sorts the items in the order of the patch. Items that the patch does not contain stay as close to their earlier position as possible:
/// one of them comes first only if it was before the next item of the patch.
pub(super) fn sorted(items: Vec<Value>, patch: &[Value], earlier: &[Value], key: &Key) -> Vec<Value> {
    let (mut named, mut rest): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| key.place(item, patch).is_some());
    named.sort_by_key(|item| key.place(item, patch));
    rest.sort_by_key(|item| key.place(item, earlier));
    let (mut named, mut rest) = (named.into_iter().peekable(), rest.into_iter().peekable());
    let mut all = Vec::new();
    while let (Some(left), Some(right)) = (rest.peek(), named.peek()) {
        let (left, right) = (key.place(left, earlier), key.place(right, earlier));
        let is_before = left.zip(right).is_some_and(|(left, right)| left < right);
        all.extend(if is_before { rest.next() } else { named.next() });
    }
    all.extend(rest);
    all.extend(named);
    all
}
