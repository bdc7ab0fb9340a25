//! Laws of label selectors: what is printed reads the same, and the match is the naive one.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use serde_json::{Map, Value, json};

use super::{Labels, Requirement, Test};
use crate::random_cases::each;

const CASES: u64 = 1000;
const KEYS: [&str; 4] = ["a", "b.dev/c", "in", "n"];
const VALUES: [&str; 6] = ["", "1", "5", "0", "x", "notin"];

fn value(rng: &mut StdRng) -> String {
    (*VALUES.choose(rng).unwrap()).to_owned()
}

fn values(rng: &mut StdRng) -> Vec<String> {
    (0..rng.random_range(1..4)).map(|_| value(rng)).collect()
}

fn requirement(rng: &mut StdRng) -> Requirement {
    let test = match rng.random_range(0..6) {
        0 => Test::Exists,
        1 => Test::Absent,
        2 => Test::In(values(rng)),
        3 => Test::NotIn(values(rng)),
        4 => Test::Greater(rng.random_range(0..7)),
        _ => Test::Less(rng.random_range(0..7)),
    };
    // These keys are words of the grammar, too.
    let key = KEYS.iter().filter(|key| **key != "in" || !matches!(test, Test::Exists)).choose(rng).unwrap();
    Requirement { key: (*key).to_owned(), test }
}

fn gap(rng: &mut StdRng) -> &'static str {
    ["", "", " ", "  "].choose(rng).unwrap()
}

/// One of the ways to write a requirement.
fn printed(rng: &mut StdRng, requirement: &Requirement) -> String {
    let key = &requirement.key;
    let (before, after) = (gap(rng), gap(rng));
    match &requirement.test {
        Test::Exists => format!("{before}{key}{after}"),
        Test::Absent => format!("!{before}{key}"),
        Test::In(values) if values.len() == 1 && rng.random_bool(0.5) => {
            let sign = ["=", "=="].choose(rng).unwrap();
            format!("{key}{before}{sign}{after}{}", values[0])
        }
        Test::NotIn(values) if values.len() == 1 && rng.random_bool(0.5) => {
            format!("{key}{before}!={after}{}", values[0])
        }
        Test::In(values) => format!("{key} in{before}({})", values.join(&format!("{before},{after}"))),
        Test::NotIn(values) => format!("{key} notin{before}({})", values.join(&format!("{before},{after}"))),
        Test::Greater(bound) => format!("{key}{before}>{after}{bound}"),
        Test::Less(bound) => format!("{key}{before}<{after}{bound}"),
    }
}

fn labels(rng: &mut StdRng) -> Map<String, Value> {
    let keys = KEYS.iter().filter(|_| rng.random_bool(0.5)).collect::<Vec<_>>();
    keys.into_iter().map(|key| ((*key).to_owned(), json!(value(rng)))).collect()
}

/// What each operator says in the documentation of Kubernetes.
fn holds(requirement: &Requirement, labels: &Map<String, Value>) -> bool {
    let label = labels.get(&requirement.key).and_then(Value::as_str);
    let number = label.and_then(|label| label.parse::<i64>().ok());
    match (&requirement.test, label) {
        (Test::Exists, label) => label.is_some(),
        (Test::Absent, label) => label.is_none(),
        (Test::In(values), Some(label)) => values.contains(&label.to_owned()),
        (Test::NotIn(values), Some(label)) => !values.contains(&label.to_owned()),
        (Test::NotIn(_), None) => true,
        (Test::Greater(bound), Some(_)) => number.is_some_and(|number| number > *bound),
        (Test::Less(bound), Some(_)) => number.is_some_and(|number| number < *bound),
        (_, None) => false,
    }
}

#[test]
fn a_printed_selector_reads_the_same_and_matches_what_it_says() {
    each(CASES, |rng| {
        let wanted: Vec<Requirement> = (0..rng.random_range(0..4)).map(|_| requirement(rng)).collect();
        let text = wanted.iter().map(|one| printed(rng, one)).collect::<Vec<_>>().join(",");
        let parsed = Labels::parse(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(parsed.0, wanted, "{text:?}");
        for _ in 0..8 {
            let labels = labels(rng);
            let naive = wanted.iter().all(|one| holds(one, &labels));
            let object = json!({"metadata": {"labels": labels}});
            assert_eq!(parsed.matches(&object), naive, "{text:?} of {object}");
        }
    });
}

#[test]
fn no_text_is_too_odd_to_be_read_or_refused() {
    each(CASES, |rng| {
        let pieces = ["a", " ", ",", "=", "!", "!=", "(", ")", "in", "notin", ">", "<", "1", "-", "ü", "\\", "\""];
        let text: String = (0..rng.random_range(0..9)).map(|_| *pieces.choose(rng).unwrap()).collect();
        // What is read and printed again is read again as the same.
        let Ok(parsed) = Labels::parse(&text) else { return };
        let again = parsed.0.iter().map(|one| printed(rng, one)).collect::<Vec<_>>().join(",");
        assert_eq!(Labels::parse(&again).map(|labels| labels.0).as_ref(), Ok(&parsed.0), "{text:?}, {again:?}");
    });
}
