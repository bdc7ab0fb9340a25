//! The order of a merged list: what a patch names in its order, and the rest where the server had it.

use serde_json::Value;

/// How the items of a list are told apart.
pub(super) enum Key {
    /// By themselves.
    Value,
    /// By this field.
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

/// The items in the order of the patch, with those that it does not name as near to their earlier place as may be: one of them
/// comes first only where it stood before the next named one.
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
