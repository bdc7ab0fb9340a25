//! The `fieldPath` of a rule.

use crate::schema::{Rest, Structural};

/// The names in a path such as `.a['b.c'].d`; `None` if the schema has no such field.
pub(super) fn names(path: &str, s: &Structural) -> Option<Vec<String>> {
    let (mut rest, mut at, mut names) = (path, s, Vec::new());
    while !rest.is_empty() {
        let (name, after) = step(rest)?;
        at = match (at.properties.get(&name), &at.rest) {
            (Some(property), _) => property,
            (None, Rest::Each(each)) => each,
            (None, Rest::Nothing | Rest::Anything) => return None,
        };
        names.push(name);
        rest = after;
    }
    (!names.is_empty()).then_some(names)
}

/// The first name and the rest of the path.
fn step(path: &str) -> Option<(String, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        return (end > 0).then(|| (rest[..end].to_owned(), &rest[end..]));
    }
    let rest = path.strip_prefix("['")?;
    let (name, after) = rest.split_once("']")?;
    Some((name.to_owned(), after))
}

/// The path below `at` as errors print it: `.name` for a field, `[key]` for a key of a map.
pub(super) fn blamed(path: &str, s: &Structural, at: &str) -> String {
    let (mut out, mut schema) = (at.to_owned(), Some(s));
    for name in names(path, s).unwrap_or_default() {
        let is_field = schema.is_some_and(|schema| schema.properties.contains_key(&name));
        out = if is_field { crate::schema::join(&out, &name) } else { format!("{out}[{name}]") };
        schema = schema.and_then(|schema| schema.member(&name));
    }
    out
}
