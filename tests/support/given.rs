//! The allowed inputs of a case. A key or a word that no adapter reads would make the case meaningless, so it fails.

use serde_json::Value;

/// The keys of a group, by their dotted paths, with the allowed words of each; no words mean free text, a number or a flag.
pub type Known = &'static [(&'static str, &'static [&'static str])];

/// All unknown inputs.
pub fn unknown(given: &Value, known: Known) -> Vec<String> {
    let mut found = Vec::new();
    walk("", given, known, &mut found);
    found
}

fn walk(path: &str, given: &Value, known: Known, found: &mut Vec<String>) {
    if let Value::Object(fields) = given {
        for (key, value) in fields {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            walk(&path, value, known, found);
        }
        return;
    }
    match known.iter().find(|(one, _)| fits(one, path)) {
        None => found.push(format!("no adapter reads `{path}`")),
        Some((_, [])) => {}
        Some((_, words)) => {
            let texts =
                given.as_str().into_iter().chain(given.as_array().into_iter().flatten().filter_map(Value::as_str));
            found.extend(texts.filter(|text| !words.contains(text)).map(|text| format!("`{path}` is no `{text}`")));
        }
    }
}

/// `*.inner` matches any depth of the same key: an error may be wrapped more than once.
fn fits(known: &str, path: &str) -> bool {
    match known.split_once('*') {
        None => known == path,
        Some((head, tail)) => {
            let inner = path.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
            inner.is_some_and(|inner| inner.split('.').all(|part| ["", "inner"].contains(&part)))
        }
    }
}

#[test]
fn a_key_or_word_that_no_adapter_reads_is_found() {
    let known: Known = &[("policy", &["skip"]), ("size", &[]), ("error*.kind", &["plain"])];
    let given =
        serde_json::json!({ "policy": "skip", "size": 3, "error": { "inner": { "inner": { "kind": "plain" } } } });
    assert!(unknown(&given, known).is_empty());
    for wrong in [
        serde_json::json!({ "policy": "skp" }),
        serde_json::json!({ "colour": "red" }),
        serde_json::json!({ "error": { "outer": { "kind": "plain" } } }),
        serde_json::json!({ "error": { "kind": "odd" } }),
    ] {
        assert_eq!(unknown(&wrong, known).len(), 1, "{wrong}");
    }
}
