//! Checks that every rule of the test kit names its proofs, and that each proof exists.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The number of rules without a proof; it may only decrease.
const UNSHOWN: usize = 3;

struct Rule {
    number: String,
    proofs: Vec<String>,
    /// The reason why there is no proof.
    unshown: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn rules() -> Vec<Rule> {
    let lines = include_str!("rules.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(rule).collect()
}

fn rule(line: &str) -> Rule {
    let [number, words, proofs] = line.split(" | ").collect::<Vec<_>>()[..] else {
        panic!("not `section | rule | proof`: {line}");
    };
    assert!(!words.trim().is_empty(), "no rule: {line}");
    let unshown = proofs.strip_prefix("unshown (").and_then(|reason| reason.strip_suffix(')')).map(str::to_owned);
    assert!(!proofs.contains("unshown") || unshown.is_some(), "say why, in brackets: {line}");
    let named = if unshown.is_some() { "" } else { proofs };
    Rule { number: number.to_owned(), proofs: named.split_whitespace().map(str::to_owned).collect(), unshown }
}

fn sources(under: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(under).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                return sources(&path);
            }
            let is_source = path.extension().is_some_and(|ending| ending == "rs");
            is_source.then_some(path).into_iter().collect()
        })
        .collect()
}

/// The names in the macro lists of rules or sessions of a module.
fn listed(under: &str, name: &str) -> BTreeSet<String> {
    let texts = sources(&folder().join("tests").join(under)).into_iter().map(|path| fs::read_to_string(path).unwrap());
    let lists = texts.filter_map(|text| {
        let (_, rest) = text.split_once(&format!("\n{name}!"))?;
        rest.split([']', ')']).next().map(str::to_owned)
    });
    let names = lists.flat_map(|list| {
        list.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned).collect::<Vec<_>>()
    });
    names.filter(|name| name.contains('_')).collect()
}

/// The unit tests in the source.
fn units() -> BTreeSet<String> {
    let texts = sources(&folder().join("src")).into_iter().map(|path| fs::read_to_string(path).unwrap());
    texts
        .flat_map(|text| {
            let bodies: Vec<String> = text.split("#[t").skip(1).map(str::to_owned).collect();
            bodies
                .into_iter()
                .filter_map(|body| {
                    let (mark, rest) = body.split_once("fn ")?;
                    let is_test = mark.starts_with("est]") || mark.starts_with("okio::test");
                    is_test.then(|| rest.split('(').next().unwrap_or_default().to_owned())
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The number of steps of each recorded case, if the recordings are available.
fn recorded() -> Option<BTreeMap<String, usize>> {
    let named = std::env::var_os("EVENKEEL_SHARED").map(PathBuf::from);
    let beside = ["../../../shared", "../../../../shared"].map(|path| folder().join(path));
    let shared = named
        .into_iter()
        .chain(beside)
        .map(|path| path.join("cases/apiserver"))
        .find(|path| path.join("index.json").is_file());
    let files = [shared?, folder().join("cases")]
        .into_iter()
        .flat_map(|path| fs::read_dir(path).unwrap())
        .map(|entry| entry.unwrap().path());
    let topics = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let cases = topics.flat_map(|path| {
        let topic: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        topic["cases"].as_array().cloned().unwrap_or_default()
    });
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(
        cases
            .map(|case| {
                (
                    format!("{}@{}", text(&case["id"]), text(&case["server"])),
                    case["steps"].as_array().map_or(0, Vec::len),
                )
            })
            .collect(),
    )
}

fn is_step(cases: &BTreeMap<String, usize>, named: &str) -> bool {
    let Some((case, step)) = named.split_once('#') else { return false };
    step.parse::<usize>().is_ok_and(|number| cases.get(case).is_some_and(|steps| number < *steps))
        && !differs(case, step)
}

/// Whether the embedded server is known to differ at this step, so that the step is no proof.
fn differs(case: &str, step: &str) -> bool {
    include_str!("golden/pending.txt").lines().any(|line| {
        let mut words = line.split_whitespace();
        (words.next(), words.next()) == (Some("kit"), Some(case))
            && words
                .next()
                .is_some_and(|steps| steps.split(',').any(|one| one == "*" || one.trim_start_matches('~') == step))
    })
}

#[test]
fn each_rule_names_existing_proofs() {
    let (conformance, kubectl, units, recorded) =
        (listed("conformance", "rules"), listed("kubectl", "crate::sessions"), units(), recorded());
    if recorded.is_none() {
        println!(
            "the steps of recorded cases are not looked up: set EVENKEEL_SHARED to the folder that holds cases/apiserver"
        );
    }
    let is_there = |proof: &str| match proof.split_once(':') {
        Some(("conformance", name)) => conformance.contains(name),
        Some(("kubectl", name)) => kubectl.contains(name),
        Some(("unit", name)) => units.contains(name),
        Some(("golden", step)) => recorded.as_ref().is_none_or(|cases| is_step(cases, step)),
        _ => false,
    };
    let mut wrong = Vec::new();
    for rule in rules() {
        if rule.proofs.is_empty() && rule.unshown.is_none() {
            wrong.push(format!("{}: nothing shows it; if that has to be, say why: unshown (..)", rule.number));
        }
        let absent = rule.proofs.iter().filter(|proof| !is_there(proof));
        wrong.extend(absent.map(|proof| format!("{}: there is no {proof}", rule.number)));
    }
    assert!(wrong.is_empty(), "in tests/kit/tests/rules.txt:\n  {}", wrong.join("\n  "));
}

#[test]
fn rule_numbers_are_unique_and_complete() {
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    for rule in rules() {
        let (section, number) = rule.number.split_once('.').unwrap();
        let next = next.entry(section.to_owned()).or_insert(1);
        assert_eq!(number, next.to_string(), "in section {section}");
        *next += 1;
    }
    assert_eq!(next.into_keys().collect::<Vec<_>>(), ["3", "4", "5", "6", "8"]);
}

#[test]
fn the_number_of_unproven_rules_decreases() {
    let unshown = rules().iter().filter(|rule| rule.unshown.is_some()).count();
    assert_eq!(unshown, UNSHOWN, "if fewer: lower the number; if more: show them");
}

#[test]
fn the_page_on_other_fakes_has_the_same_rows() {
    let page = include_str!("../fakes.md");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")).skip(1);
    let numbers: Vec<&str> = rows.map(|row| row.trim_start_matches("| ").split(' ').next().unwrap()).collect();
    let rules: Vec<String> =
        rules().into_iter().map(|rule| rule.number).filter(|number| number.starts_with("3.")).collect();
    assert_eq!(numbers, rules);
}
