//! Random texts that match a pattern.

use fastrand::Rng;
use regex_syntax::hir::{Class, Hir, HirKind};

/// How often a part without an upper limit is repeated at most, beyond its lower one.
const REPEATS: u32 = 3;

/// A text for the pattern. Anchors and word boundaries are ignored, so that it does not always match.
pub(super) fn text(pattern: &str, random: &mut Rng) -> String {
    let mut bytes = Vec::new();
    if let Ok(hir) = regex_syntax::parse(pattern) {
        add(&hir, random, &mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn add(hir: &Hir, random: &mut Rng, out: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
        HirKind::Class(class) => add_class(class, random, out),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(REPEATS));
            for _ in 0..random.u32(repetition.min..=most.max(repetition.min)) {
                add(&repetition.sub, random, out);
            }
        }
        HirKind::Capture(capture) => add(&capture.sub, random, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| add(part, random, out)),
        HirKind::Alternation(branches) => {
            if let Some(branch) = random.choice(branches) {
                add(branch, random, out);
            }
        }
    }
}

/// A character from the start of one of the ranges: of `[^a]` a printable one, if there is any.
fn add_class(class: &Class, random: &mut Rng, out: &mut Vec<u8>) {
    match class {
        Class::Unicode(class) => {
            let printable = |range: &&regex_syntax::hir::ClassUnicodeRange| range.end() >= ' ';
            let ranges: Vec<_> = class.ranges().iter().filter(printable).collect();
            let Some(range) = random.choice(&ranges) else { return };
            let (start, end) = (u32::from(range.start().max(' ')), u32::from(range.end()));
            let drawn = random.u32(start..=end.min(start.saturating_add(25)));
            let mut buffer = [0; 4];
            out.extend_from_slice(char::from_u32(drawn).unwrap_or(range.start()).encode_utf8(&mut buffer).as_bytes());
        }
        Class::Bytes(class) => {
            if let Some(range) = random.choice(class.ranges()) {
                out.push(random.u8(range.start()..=range.end()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn texts_match_their_pattern() {
        let mut random = Rng::with_seed(1);
        for pattern in [
            "^[a-z]([-a-z0-9]*[a-z0-9])?$",
            "^(http|https|ssh)://.*$",
            r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$",
            "^[^/]{2,4}$",
            r"^\d{4}-\d{2}$",
        ] {
            let regex = Regex::new(pattern).unwrap();
            for _ in 0..100 {
                let text = text(pattern, &mut random);
                assert!(regex.is_match(&text), "{text:?} does not match {pattern}");
            }
        }
    }
}
