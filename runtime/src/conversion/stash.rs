//! What a served version cannot express, as an annotation of the converted object.

use serde_json::Value;

use super::difference::{Difference, at, set};

/// The longest stash, in bytes. All annotations of an object together have at most 256 KiB.
const LARGEST: usize = 32 * 1024;

/// Which differences are stashed, in the names of the schema.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// These only; empty: all.
    pub(super) kept: Vec<Vec<String>>,
    /// These never.
    pub(super) lossy: Vec<Vec<String>>,
}

impl Selection {
    /// Whether the difference is stashed.
    fn has(&self, difference: &Difference) -> bool {
        let is_in = |paths: &[Vec<String>]| paths.iter().any(|path| difference.path.starts_with(path));
        (self.kept.is_empty() || is_in(&self.kept)) && !is_in(&self.lossy)
    }
}

/// A stash that is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TooLarge {
    /// The path with the largest value.
    pub(super) path: String,
    /// The length of the whole stash, in bytes.
    pub(super) bytes: usize,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, bytes } = self;
        write!(
            f,
            "what this version cannot express takes {bytes} bytes, most of it at {path}, and at most {LARGEST} are stashed: read the object in \
             the stored version, or declare `lossy({path})`"
        )
    }
}

/// The text of the annotation; `None` if nothing is lost.
///
/// # Errors
/// It is longer than 32 KiB.
pub(super) fn write(differences: Vec<Difference>, selection: &Selection) -> Result<Option<String>, TooLarge> {
    let kept: Vec<Difference> = differences.into_iter().filter(|one| selection.has(one)).collect();
    if kept.is_empty() {
        return Ok(None);
    }
    let text = text(&kept);
    if text.len() <= LARGEST {
        return Ok(Some(text));
    }
    let largest = kept.iter().max_by_key(|one| self::text(std::slice::from_ref(one)).len());
    Err(TooLarge { path: largest.map(Difference::path).unwrap_or_default(), bytes: text.len() })
}

fn text(differences: &[Difference]) -> String {
    // Text keys only: writing them to memory does not fail.
    serde_json::to_string(differences).unwrap_or_default()
}

/// Puts the values of the stash back. Where the object has another value than the one that the stash was written for, its user has changed it,
/// and it stays. A text that is no stash changes nothing.
pub(super) fn restore(object: &mut Value, text: &str) {
    let Ok(differences) = serde_json::from_str::<Vec<Difference>>(text) else { return };
    for Difference { path, hub, spoke } in differences {
        let is_part = path.len() > 1 && matches!(path[0].as_str(), "spec" | "status");
        if is_part && at(object, &path) == spoke.as_ref() {
            set(object, &path, hub);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn difference(path: &[&str], hub: Option<Value>, spoke: Option<Value>) -> Difference {
        Difference { path: path.iter().map(|name| (*name).to_owned()).collect(), hub, spoke }
    }

    fn restored(object: &Value, differences: Vec<Difference>) -> Value {
        let stash = write(differences, &Selection::default()).unwrap().unwrap();
        let mut object = object.clone();
        restore(&mut object, &stash);
        object
    }

    #[test]
    fn unchanged_values_are_put_back_and_changed_ones_stay() {
        let stash = || {
            vec![
                difference(&["spec", "tags"], Some(json!(["a"])), None),
                difference(&["spec", "login"], Some(json!({ "token": "t" })), Some(json!({ "none": {} }))),
                difference(&["spec", "extra"], None, Some(json!(1))),
            ]
        };
        let unchanged = json!({ "spec": { "url": "u", "login": { "none": {} }, "extra": 1 } });
        let full = json!({ "spec": { "url": "u", "tags": ["a"], "login": { "token": "t" } } });
        assert_eq!(restored(&unchanged, stash()), full);
        let changed = json!({ "spec": { "url": "u", "login": { "secret": "s" }, "extra": 2, "tags": [] } });
        assert_eq!(restored(&changed, stash()), changed);
    }

    #[test]
    fn a_parent_that_is_gone_is_not_made_again() {
        let stash = vec![difference(&["spec", "a", "b"], Some(json!(1)), None)];
        assert_eq!(restored(&json!({ "spec": {} }), stash), json!({ "spec": {} }));
    }

    #[test]
    fn a_text_that_is_no_stash_changes_nothing() {
        for text in ["", "{", "null", "[1]", r#"[{"path":[]}]"#, r#"[{"path":["metadata","name"],"hub":"x"}]"#] {
            let mut object = json!({ "metadata": { "uid": "7" }, "spec": { "a": 1 } });
            let before = object.clone();
            restore(&mut object, text);
            assert_eq!(object, before, "{text}");
        }
    }

    #[test]
    fn a_stash_has_at_most_32_kib_and_the_error_names_the_largest_path() {
        let of = |length: usize| {
            let small = difference(&["spec", "a"], Some(json!("x")), None);
            write(vec![small, difference(&["spec", "b"], Some(json!("x".repeat(length))), None)], &Selection::default())
        };
        let overhead = of(0).unwrap().unwrap().len();
        assert_eq!(of(LARGEST - overhead).unwrap().unwrap().len(), LARGEST);
        assert_eq!(of(LARGEST - overhead + 1), Err(TooLarge { path: "spec.b".into(), bytes: LARGEST + 1 }));
    }

    #[test]
    fn the_selection_decides_what_is_stashed() {
        let all = || ["a", "b", "c"].map(|name| difference(&["spec", name, "x"], Some(json!(1)), None)).to_vec();
        let path = |name: &str| vec!["spec".to_owned(), name.to_owned()];
        let selection = Selection { kept: vec![path("a"), path("b")], lossy: vec![path("b")] };
        let stash = write(all(), &selection).unwrap().unwrap();
        assert_eq!(stash, r#"[{"path":["spec","a","x"],"hub":1}]"#);
        let selection = Selection { kept: Vec::new(), lossy: vec![vec!["spec".to_owned()]] };
        assert_eq!(write(all(), &selection), Ok(None));
    }
}
