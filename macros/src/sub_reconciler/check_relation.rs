//! Checks of a relation: a watch must not cache too much, and the API server must accept its selector.

use syn::{LitStr, Path};

use super::relation::{How, Labels, Level, Watch};
use crate::errors::mistake;
use crate::syntax::names::{is_field_selector, is_selector, path_text};

/// A watch must have a selection: otherwise it would cache every object of the cluster.
pub(crate) fn bare_watch(kind: &Path) -> syn::Error {
    let name = path_text(kind);
    mistake(
        kind,
        format_args!("`watches({name})` would cache every `{name}`"),
        format_args!("`watches({name}, by_name)`, `watches({name}, labels = \"app=web\")` or `polls({name})`"),
    )
}

/// Rejects a selector that the API server would reject.
pub(crate) fn check_selector(selector: &LitStr) -> syn::Result<()> {
    let value = selector.value();
    if is_selector(&value) {
        return Ok(());
    }
    Err(mistake(
        selector,
        format_args!("`{value}` is not a label selector"),
        "write for example `labels = \"app=web\"`",
    ))
}

/// The labels of owned objects, which evenkeel sets: unlike a selector they have one value each.
pub(crate) fn owned_labels(text: &LitStr) -> syn::Result<Labels> {
    check_selector(text)?;
    let value = text.value();
    let mut labels = Labels::new();
    for part in value.split(',').map(str::trim) {
        let label = part.split_once('=').filter(|(key, _)| !key.ends_with('!') && !part.contains('('));
        let Some((key, one)) = label.map(|(key, one)| (key.trim(), one.trim_start_matches('=').trim())) else {
            return Err(mistake(
                text,
                format_args!("`{part}` does not give one value of a label"),
                "write for example `labels = \"app=web\"`: each owned object gets these labels",
            ));
        };
        if labels.iter().any(|(earlier, _)| earlier == key) {
            return Err(mistake(text, format_args!("the label `{key}` is given twice"), "keep one of them"));
        }
        labels.push((key.to_owned(), one.to_owned()));
    }
    Ok(labels)
}

/// Rejects a field selector that the API server would reject.
pub(crate) fn check_fields(fields: &LitStr) -> syn::Result<()> {
    let value = fields.value();
    if is_field_selector(&value) {
        return Ok(());
    }
    Err(mistake(
        fields,
        format_args!("`{value}` is not a field selector"),
        "write for example `fields = \"status.phase=Running\"`",
    ))
}

/// A watch by name has no list for an index, and an index needs whole objects.
pub(crate) fn check_watch(watch: &Watch) -> syn::Result<()> {
    let (index, map) = (watch.indexes.first(), watch.map.as_ref());
    match (&watch.how, &watch.cache) {
        (How::ByName, _) if map.is_some() => {
            let help = "write `labels = \"app=web\"` instead of `by_name`: the function gets each object that matches";
            Err(mistake(map, "a watch by name has no mapping function", help))
        }
        (_, Some(cache)) if cache.level != Level::Full && map.is_some() => Err(mistake(
            &cache.word,
            "a mapping function needs whole objects",
            "write `cache = full`, or leave `cache` out",
        )),
        (How::ByName, _) if index.is_some() => {
            Err(mistake(index, "a watch by name has no index", "write `labels = \"app=web\"` instead of `by_name`"))
        }
        (How::ByName, Some(cache)) if cache.level == Level::Metadata => Err(mistake(
            &cache.word,
            "a watch by name cannot list metadata",
            "write `cache = none` to use little memory, or `cache = full` to read from the cache",
        )),
        (_, Some(cache)) if cache.level != Level::Full && index.is_some() => {
            Err(mistake(&cache.word, "an index needs whole objects", "write `cache = full`, or leave `cache` out"))
        }
        _ => Ok(()),
    }
}
