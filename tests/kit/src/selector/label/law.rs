//! Laws of label selectors: what is printed reads the same, and the match is the naive one.

use evenkeel_random_cases::{Choices, each};
use serde_json::{Map, Value, json};

use super::{Labels, Requirement, Test};

const CASES: u64 = 1000;
const KEYS: [&str; 4] = ["a", "b.dev/c", "in", "n"];
const VALUES: [&str; 6] = ["", "1", "5", "0", "x", "notin"];

fn value(choices: &mut Choices) -> String {
    choices.pick(&VALUES).to_owned()
}

fn values(choices: &mut Choices) -> Vec<String> {
    (0..choices.range(1..4)).map(|_| value(choices)).collect()
}

fn requirement(choices: &mut Choices) -> Requirement {
    let test = match choices.range(0..6) {
        0 => Test::Exists,
        1 => Test::Absent,
        2 => Test::In(values(choices)),
        3 => Test::NotIn(values(choices)),
        4 => Test::Greater(choices.range(0..7)),
        _ => Test::Less(choices.range(0..7)),
    };
    // These keys are words of the grammar, too.
    let keys = KEYS.into_iter().filter(|key| *key != "in" || !matches!(test, Test::Exists)).collect::<Vec<_>>();
    Requirement { key: choices.pick(&keys).to_owned(), test }
}

fn gap(choices: &mut Choices) -> &'static str {
    choices.pick(&["", "", " ", "  "])
}

/// One of the ways to write a requirement.
fn printed(choices: &mut Choices, requirement: &Requirement) -> String {
    let key = &requirement.key;
    let (before, after) = (gap(choices), gap(choices));
    match &requirement.test {
        Test::Exists => format!("{before}{key}{after}"),
        Test::Absent => format!("!{before}{key}"),
        Test::In(values) if values.len() == 1 && choices.chance(0.5) => {
            let sign = choices.pick(&["=", "=="]);
            format!("{key}{before}{sign}{after}{}", values[0])
        }
        Test::NotIn(values) if values.len() == 1 && choices.chance(0.5) => {
            format!("{key}{before}!={after}{}", values[0])
        }
        Test::In(values) => format!("{key} in{before}({})", values.join(&format!("{before},{after}"))),
        Test::NotIn(values) => format!("{key} notin{before}({})", values.join(&format!("{before},{after}"))),
        Test::Greater(bound) => format!("{key}{before}>{after}{bound}"),
        Test::Less(bound) => format!("{key}{before}<{after}{bound}"),
    }
}

fn labels(choices: &mut Choices) -> Map<String, Value> {
    let keys = KEYS.iter().filter(|_| choices.chance(0.5)).collect::<Vec<_>>();
    keys.into_iter().map(|key| ((*key).to_owned(), json!(value(choices)))).collect()
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
    each(CASES, |choices| {
        let wanted: Vec<Requirement> = (0..choices.range(0..4)).map(|_| requirement(choices)).collect();
        let text = wanted.iter().map(|one| printed(choices, one)).collect::<Vec<_>>().join(",");
        let parsed = Labels::parse(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(parsed.0, wanted, "{text:?}");
        for _ in 0..8 {
            let labels = labels(choices);
            let naive = wanted.iter().all(|one| holds(one, &labels));
            let object = json!({"metadata": {"labels": labels}});
            assert_eq!(parsed.matches(&object), naive, "{text:?} of {object}");
        }
    });
}

#[test]
fn no_text_is_too_odd_to_be_read_or_refused() {
    each(CASES, |choices| {
        let pieces = ["a", " ", ",", "=", "!", "!=", "(", ")", "in", "notin", ">", "<", "1", "-", "ü", "\\", "\""];
        let text: String = (0..choices.range(0..9)).map(|_| choices.pick(&pieces)).collect();
        // What is read and printed again is read again as the same.
        let Ok(parsed) = Labels::parse(&text) else { return };
        let again = parsed.0.iter().map(|one| printed(choices, one)).collect::<Vec<_>>().join(",");
        assert_eq!(Labels::parse(&again).map(|labels| labels.0).as_ref(), Ok(&parsed.0), "{text:?}, {again:?}");
    });
}
