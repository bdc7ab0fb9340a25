//! The kinds of template sets as relations of a step.

use super::set::Templates;
use crate::const_str::Sentence;
use crate::kind::TextKind;
use crate::wiring::{How, Relation};

/// The number of the relations that [`join_relations`] returns, if the step has `own` others.
#[must_use]
pub const fn count_relations(own: usize, given: &[TextKind], sets: &[&Templates]) -> usize {
    let (mut count, mut set) = (own, 0);
    while set < sets.len() {
        let mut i = 0;
        while i < sets[set].kinds.len() {
            if is_new(given, sets, set, i) {
                count += 1;
            }
            i += 1;
        }
        set += 1;
    }
    count
}

/// The relations of a step and those to the kinds of its template sets, each kind once. A kind that is given by text, perhaps with its plural,
/// is in `own` already.
#[must_use]
pub const fn join_relations<const N: usize>(
    own: &[Relation],
    given: &[TextKind],
    sets: &[&Templates],
) -> [Relation; N] {
    let mut all = [Relation::new(How::Keeps, None); N];
    let mut at = 0;
    while at < own.len() {
        all[at] = own[at];
        at += 1;
    }
    let mut set = 0;
    while set < sets.len() {
        let mut i = 0;
        while i < sets[set].kinds.len() {
            if is_new(given, sets, set, i) {
                all[at] = Relation::new(How::Keeps, Some(sets[set].kinds[i].info));
                at += 1;
            }
            i += 1;
        }
        set += 1;
    }
    all
}

/// Checks that a kind of `ready(..)` is that of a template.
#[track_caller]
pub const fn check_ready(sets: &[&Templates], kind: &TextKind) {
    let mut set = 0;
    while set < sets.len() {
        if contains(sets[set].kinds, kind) {
            return;
        }
        set += 1;
    }
    let message =
        Sentence::new().push("no template has an object of `").push(kind.api_version).push("/").push(kind.kind);
    panic!("{}", message.push("`\nhelp: correct the text, or list it in `kinds(..)`, too").text());
}

/// Whether no given kind and no earlier set has this kind.
const fn is_new(given: &[TextKind], sets: &[&Templates], set: usize, i: usize) -> bool {
    let kind = &sets[set].kinds[i];
    let mut earlier = 0;
    while earlier < set {
        if contains(sets[earlier].kinds, kind) {
            return false;
        }
        earlier += 1;
    }
    !contains(given, kind)
}

const fn contains(kinds: &[TextKind], kind: &TextKind) -> bool {
    let mut i = 0;
    while i < kinds.len() {
        if kinds[i].is(kind) {
            return true;
        }
        i += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::KindInfo;

    const DEPLOYMENT: TextKind = TextKind {
        api_version: "apps/v1",
        kind: "Deployment",
        info: || KindInfo::by_text("apps/v1", "Deployment", None),
    };
    const FISH: TextKind =
        TextKind { api_version: "sea.dev/v1", kind: "Fish", info: || KindInfo::by_text("sea.dev/v1", "Fish", None) };
    const GIVEN: TextKind = TextKind { info: || KindInfo::by_text("sea.dev/v1", "Fish", Some("fish")), ..FISH };
    const BOTH: &[&Templates] =
        &[&Templates::new("a", &[], &[DEPLOYMENT]), &Templates::new("b", &[], &[DEPLOYMENT, FISH])];

    #[test]
    fn each_kind_is_there_once() {
        const ALL: [Relation; count_relations(0, &[], BOTH)] = join_relations(&[], &[], BOTH);
        assert_eq!(ALL.map(|one| one.kind.unwrap()().resource.plural.clone()), ["deployments", "fishes"]);
    }

    #[test]
    fn a_given_plural_takes_precedence() {
        const OWN: &[Relation] = &[Relation::new(How::Keeps, Some(GIVEN.info))];
        const N: usize = count_relations(OWN.len(), &[GIVEN], BOTH);
        let all: [Relation; N] = join_relations(OWN, &[GIVEN], BOTH);
        assert_eq!(all.map(|one| one.kind.unwrap()().resource.plural.clone()), ["fish", "deployments"]);
    }

    #[test]
    fn a_kind_without_template_is_named() {
        check_ready(BOTH, &FISH);
        let text = |kind: &TextKind| std::panic::catch_unwind(|| check_ready(BOTH, kind)).unwrap_err();
        let whale = TextKind { kind: "Whale", ..FISH };
        let message = text(&whale).downcast::<String>().unwrap();
        assert!(message.starts_with("no template has an object of `sea.dev/v1/Whale`\nhelp: "), "{message}");
    }
}
