//! Intended deviations from recorded cases: the files that list them, and the mistakes in these files.
//!
//! One line for each: `suite / case : rule : why`, or `suite / case / key+key : rule : why` for these keys only. `*` matches anything. A
//! listed case must differ, so that no line becomes stale. A line may end with ` => {"key": value}`: the actual value by key; any other
//! value is an unlisted difference.

use serde_json::Value;

/// A key with an unexpected value.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The key with its part: `expect.ready`.
    pub key: String,
    /// The expected value.
    pub wanted: Value,
    /// The actual value.
    pub found: Value,
}

/// The result of a case.
pub struct Found {
    /// Its name.
    pub name: String,
    /// Its differences; none if it matches.
    pub differences: Vec<Difference>,
}

/// One line of the file.
pub struct Deviation {
    /// The suite.
    pub suite: &'static str,
    /// A case, or a pattern with `*`.
    pub case: &'static str,
    /// The only keys that may differ, if they are named: `error+conditions`.
    pub key: Option<&'static str>,
    /// The rule behind the deviation.
    pub rule: &'static str,
    /// The reason.
    pub reason: &'static str,
    /// The actual values by key, if they are listed.
    pub accepts: Option<Value>,
}

/// Parses all lines of a file.
///
/// # Panics
/// A line is invalid.
#[must_use]
pub fn listed(file: &'static str) -> Vec<Deviation> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(parse).collect()
}

fn parse(line: &'static str) -> Deviation {
    let (text, accepts) = line.split_once(" => ").map_or((line, None), |(text, value)| (text, Some(value)));
    let accepts = accepts.map(|value| serde_json::from_str(value).unwrap_or_else(|error| panic!("{error}: {line}")));
    let parts: Vec<&str> = text.splitn(3, " : ").map(str::trim).collect();
    let [place, rule, reason] = parts.as_slice() else { panic!("not `suite / case : rule : reason`: {line}") };
    let mut place = place.split('/').map(str::trim);
    let (Some(suite), Some(case)) = (place.next(), place.next()) else { panic!("no `suite / case`: {line}") };
    Deviation { suite, case, key: place.next(), rule, reason, accepts }
}

impl Deviation {
    fn covers(&self, case: &str) -> bool {
        matches(self.case, case)
    }

    fn excuses(&self, found: &Found, difference: &Difference) -> bool {
        let key = difference.key.split('.').next_back();
        let is_accepted = |accepts: &Value| key.and_then(|key| accepts.get(key)) == Some(&difference.found);
        self.covers(&found.name)
            && self.key.is_none_or(|keys| keys.split('+').any(|one| Some(one) == key))
            && self.accepts.as_ref().is_none_or(is_accepted)
    }

    /// The complaint about a stale line: a listed case must differ, and a key of the whole suite must differ somewhere.
    fn in_vain(&self, found: &[Found]) -> Option<String> {
        let place = format!("{} / {}", self.suite, self.case);
        let covered: Vec<_> = found.iter().filter(|f| self.covers(&f.name)).collect();
        let differs = |found: &&&Found| found.differences.iter().any(|d| self.excuses(found, d));
        let differing = covered.iter().filter(differs).count();
        let must = if self.case == "*" { covered.len().min(1) } else { covered.len() };
        match (covered.len(), differing) {
            (0, _) => Some(format!("  deviations.txt: {place}: there is no such case")),
            (_, differing) if differing < must => {
                let agreeing = covered.iter().find(|f| !differs(f)).map_or("", |f| &f.name);
                Some(format!("  deviations.txt: {place}: {agreeing} agrees: take the line out"))
            }
            _ => None,
        }
    }
}

/// Whether the name matches the pattern, where `*` matches anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => {
            let Some(rest) = name.strip_prefix(head) else { return false };
            (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| matches(tail, &rest[at..]))
        }
    }
}

/// The unlisted differences, and the stale lines.
#[must_use]
pub fn complaints(file: &'static str, suite: &str, found: &[Found]) -> Vec<String> {
    let listed: Vec<Deviation> = listed(file).into_iter().filter(|line| line.suite == suite).collect();
    let unlisted = found.iter().flat_map(|case| {
        let open = case.differences.iter().filter(|d| !listed.iter().any(|line| line.excuses(case, d)));
        open.map(|d| format!("  {} {}\n    wanted {}\n    found  {}", case.name, d.key, d.wanted, d.found))
    });
    unlisted.chain(listed.iter().filter_map(|line| line.in_vain(found))).collect()
}

#[test]
fn a_value_other_than_the_accepted_differs() {
    let file = r#"suite / case / ready : RULE : why => {"ready": "False"}"#;
    let found = |ready: &str| Found {
        name: "case".into(),
        differences: vec![Difference { key: "ready".into(), wanted: "True".into(), found: ready.into() }],
    };
    assert!(complaints(file, "suite", &[found("False")]).is_empty());
    assert!(!complaints(file, "suite", &[found("Unknown")]).is_empty());
}

#[test]
fn a_star_matches_anything() {
    assert!(matches("a*c", "abc") && matches("*", "") && matches("a*", "a") && matches("*b*", "abc"));
    assert!(!matches("a*c", "abd") && !matches("a", "ab"));
}
