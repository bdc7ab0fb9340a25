//! Closed sets of reasons, and the compile-time check for undeclared ones.

use super::{ConditionInfo, ConditionMarker, ConditionSet};
use crate::const_str::{Sentence, same};
use crate::outcome::reporting::VariantInfo;

/// The reasons that the framework sets, which belong to every set.
pub(crate) const OWN: [&str; 6] =
    ["Succeeded", "Blocked", "Panicked", "TimedOut", "NotYetReported", "DependentForeign"];

/// A declared reason that no step uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedReason {
    /// The type of the condition.
    pub condition: &'static str,
    /// The reason.
    pub reason: &'static str,
}

/// Checks that the literal is a reason of the condition. Fails the build and suggests the nearest reason, or lists all
/// of them.
#[doc(hidden)]
#[track_caller]
pub const fn check_reason<M: ConditionMarker>(reason: &str) {
    let all = <M::Set as ConditionSet>::CONDITIONS;
    if M::INDEX >= all.len() || is_declared(&all[M::INDEX], reason) {
        return;
    }
    let info = &all[M::INDEX];
    let sentence = Sentence::new()
        .push("`")
        .push(reason)
        .push("` is not a declared reason of the condition `")
        .push(info.type_)
        .push("`\nhelp: ");
    let sentence = match nearest(reason, info) {
        Some(near) => sentence.push("did you mean `").push(near).push("`?"),
        None => list(sentence.push("use "), info).push(", or add it to `reasons(..)` there"),
    };
    panic!("{}", sentence.text());
}

/// Like [`check_reason`], for a marker value.
#[doc(hidden)]
#[track_caller]
pub const fn check_reason_of<M: ConditionMarker>(_: M, reason: &str) {
    check_reason::<M>(reason);
}

/// Checks that the errors of a step have reasons that its first condition declares.
#[track_caller]
pub(crate) const fn check_errors(info: &ConditionInfo, errors: &[VariantInfo]) {
    let mut i = 0;
    while i < errors.len() {
        let VariantInfo { reason, class, .. } = errors[i];
        if !same(class, "ignored") && !is_declared(info, reason) {
            let sentence = Sentence::new()
                .push("an error of this step has the reason `")
                .push(reason)
                .push("`, which `")
                .push(info.type_)
                .push("` does not declare\nhelp: add `")
                .push(reason)
                .push("` to its `reasons(..)`: the error would set it");
            panic!("{}", sentence.text());
        }
        i += 1;
    }
}

/// Whether the condition may have the reason.
pub(crate) const fn is_declared(info: &ConditionInfo, reason: &str) -> bool {
    let (mut found, mut i) = (info.reasons.is_empty() || is_own(reason), 0);
    while i < info.reasons.len() {
        found |= same(info.reasons[i].name, reason);
        i += 1;
    }
    found
}

const fn is_own(reason: &str) -> bool {
    let mut i = 0;
    while i < OWN.len() {
        if same(OWN[i], reason) {
            return true;
        }
        i += 1;
    }
    false
}

/// The nearest declared reason, at an edit distance of at most a third of its length.
const fn nearest(word: &str, info: &ConditionInfo) -> Option<&'static str> {
    let mut best: Option<(usize, &'static str)> = None;
    let mut i = 0;
    while i < info.reasons.len() {
        let name = info.reasons[i].name;
        let steps = distance(word.as_bytes(), name.as_bytes());
        let is_better = match best {
            Some((least, _)) => steps < least,
            None => steps <= name.len().div_ceil(3),
        };
        if is_better {
            best = Some((steps, name));
        }
        i += 1;
    }
    match best {
        Some((_, name)) => Some(name),
        None => None,
    }
}

/// Longer words are compared by their prefix of this length.
const LONGEST: usize = 64;

/// The Levenshtein distance.
const fn distance(a: &[u8], b: &[u8]) -> usize {
    let width = least(b.len(), LONGEST);
    let mut row = [0; LONGEST + 1];
    let mut j = 0;
    while j <= width {
        row[j] = j;
        j += 1;
    }
    let mut i = 0;
    while i < a.len() {
        let (mut corner, mut j) = (row[0], 0);
        row[0] = i + 1;
        while j < width {
            let change = corner + if a[i] == b[j] { 0 } else { 1 };
            corner = row[j + 1];
            row[j + 1] = least(change, least(row[j], row[j + 1]) + 1);
            j += 1;
        }
        i += 1;
    }
    row[width] + (b.len() - width)
}

const fn least(a: usize, b: usize) -> usize {
    a - a.saturating_sub(b)
}

/// Lists the declared reasons: `a`, `b` or `c`.
const fn list(mut sentence: Sentence, info: &ConditionInfo) -> Sentence {
    let mut i = 0;
    while i < info.reasons.len() {
        if i > 0 {
            sentence = sentence.push(if i + 1 == info.reasons.len() { " or " } else { ", " });
        }
        sentence = sentence.push("`").push(info.reasons[i].name).push("`");
        i += 1;
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{Polarity, ReasonInfo};
    use crate::outcome::reporting::{Actions, EventLevel, LogLevel};
    use crate::outcome::retry::Retry;

    const fn reason(name: &'static str) -> ReasonInfo {
        ReasonInfo { name, doc: "" }
    }

    const fn of(reasons: &'static [ReasonInfo]) -> ConditionInfo {
        ConditionInfo::new("Outdated", Polarity::Negative).with_reasons(reasons)
    }

    const CLOSED: ConditionInfo = of(&[reason("NewRevision"), reason("Corrupt"), reason("Missing")]);

    struct Closed;

    impl ConditionSet for Closed {
        const NAME: &'static str = "Closed";
        const CONDITIONS: &'static [ConditionInfo] = &[CLOSED];
        const MARKERS: &'static str = "on";
    }

    #[derive(Clone, Copy)]
    struct At<const INDEX: usize>;

    impl<const INDEX: usize> ConditionMarker for At<INDEX> {
        type Set = Closed;
        const INDEX: usize = INDEX;
    }

    /// The message of the check, if it fails.
    fn panic_message(check: impl FnOnce() + std::panic::UnwindSafe) -> Option<String> {
        std::panic::catch_unwind(check).err().map(|panic| panic.downcast_ref::<String>().unwrap().clone())
    }

    #[test]
    fn edit_distance_counts_substitutions_insertions_and_deletions() {
        for (a, b, steps) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("sitting", "kitten", 3),
            ("flaw", "lawn", 2),
            ("ab", "ba", 2),
            ("abcdef", "abdef", 1),
            ("abdef", "abcdef", 1),
            ("xabc", "abc", 1),
            ("aab", "ab", 1),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), steps, "{a} {b}");
        }
        for length in [LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 7] {
            let word = "a".repeat(length);
            assert_eq!(distance(b"", word.as_bytes()), length);
            assert_eq!(distance(&word.as_bytes()[..LONGEST - 1], word.as_bytes()), length - (LONGEST - 1));
        }
    }

    #[test]
    fn a_suggestion_is_within_a_third_of_its_letters() {
        for (word, near) in [
            ("NewRevison", Some("NewRevision")),
            ("Corrupt", Some("Corrupt")),
            ("Corrxxt", Some("Corrupt")),
            ("Corxxxt", Some("Corrupt")),
            ("Coxxxxt", None),
            ("Misling", Some("Missing")),
            ("Elsewhere", None),
        ] {
            assert_eq!(nearest(word, &CLOSED), near, "{word}");
        }
        const TWINS: ConditionInfo = of(&[reason("Fetches"), reason("Fetched"), reason("Fetcher")]);
        assert_eq!(nearest("Fetched", &TWINS), Some("Fetched"));
        assert_eq!(nearest("Fetchex", &TWINS), Some("Fetches"), "the first of equals");
        assert_eq!(nearest("Any", &of(&[])), None);
    }

    #[test]
    fn a_closed_reason_set_accepts_declared_and_framework_reasons() {
        assert!(is_declared(&of(&[]), "Anything"));
        for word in ["NewRevision", "Corrupt", "Missing"].iter().chain(&OWN) {
            assert!(is_declared(&CLOSED, word), "{word}");
        }
        assert!(!is_declared(&CLOSED, "NewRevison"));
        assert!(OWN.into_iter().all(is_own));
        assert!(!is_own("NewRevision"));
    }

    #[test]
    fn an_undeclared_reason_is_rejected_with_suggestions() {
        assert_eq!(panic_message(|| check_reason::<At<0>>("Corrupt")), None);
        assert_eq!(
            panic_message(|| check_reason::<At<1>>("Elsewhere")),
            None,
            "there is no such condition; another check reports it"
        );
        let near = panic_message(|| check_reason::<At<0>>("Corupt")).unwrap();
        assert_eq!(
            near,
            "`Corupt` is not a declared reason of the condition `Outdated`\nhelp: did you mean `Corrupt`?"
        );
        let far = panic_message(|| check_reason_of(At::<0>, "Elsewhere")).unwrap();
        assert!(far.ends_with("use `NewRevision`, `Corrupt` or `Missing`, or add it to `reasons(..)` there"), "{far}");
        const ONE: ConditionInfo = of(&[reason("A")]);
        const TWO: ConditionInfo = of(&[reason("A"), reason("B")]);
        assert_eq!(list(Sentence::new(), &ONE).text(), "`A`");
        assert_eq!(list(Sentence::new(), &TWO).text(), "`A` or `B`");
    }

    #[test]
    fn an_error_has_a_declared_reason_unless_it_is_ignored() {
        let actions = Actions { event: EventLevel::None, log: LogLevel::None, notify: false };
        let error = |reason, class| VariantInfo { reason, class, doc: "", actions, retry: Retry::Slow, until: None };
        assert_eq!(panic_message(|| check_errors(&CLOSED, &[])), None);
        let known = error("Corrupt", "stalled");
        assert_eq!(panic_message(move || check_errors(&CLOSED, &[known, error("Elsewhere", "ignored")])), None);
        let refused = panic_message(move || check_errors(&CLOSED, &[known, error("Elsewhere", "stalled")])).unwrap();
        assert!(refused.starts_with("an error of this step has the reason `Elsewhere`"), "{refused}");
    }
}
