//! Laws of field selectors: what is printed reads the same, and the match is the naive one.

use evenkeel_random_cases::{Choices, each};
use serde_json::json;

use super::{Fields, Term};
use crate::registry::Registry;

const VALUES: [&str; 6] = ["", "a", "b", "a,b", "a\\", "c=d,"];

fn term(choices: &mut Choices) -> Term {
    let label = choices.pick(&["metadata.name", "metadata.namespace", "spec.nodeName"]);
    let value = choices.pick(&VALUES);
    Term { label: label.to_owned(), equal: choices.chance(0.6), value: value.to_owned() }
}

fn printed(choices: &mut Choices, term: &Term) -> String {
    let sign = if term.equal { choices.pick(&["=", "=="]) } else { "!=" };
    let value = term.value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=");
    format!("{}{sign}{value}", term.label)
}

#[test]
fn a_printed_selector_reads_the_same_and_matches_what_it_says() {
    let kind = Registry::builtin().lookup("", "v1", "pods").unwrap();
    each(1000, |choices| {
        let wanted: Vec<Term> = (0..choices.range(0..4)).map(|_| term(choices)).collect();
        let text = wanted.iter().map(|one| printed(choices, one)).collect::<Vec<_>>().join(",");
        let parsed = Fields::parse(&text, &kind).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(parsed.0, wanted, "{text:?}");
        for _ in 0..8 {
            let [name, namespace, node] = [(); 3].map(|()| choices.pick(&VALUES));
            let pod = json!({"metadata": {"name": name, "namespace": namespace}, "spec": {"nodeName": node}});
            let value = |label: &str| match label {
                "metadata.name" => name,
                "metadata.namespace" => namespace,
                _ => node,
            };
            let naive = wanted.iter().all(|term| (value(&term.label) == term.value) == term.equal);
            assert_eq!(parsed.matches(&pod, &kind), naive, "{text:?} of {pod}");
        }
    });
}
