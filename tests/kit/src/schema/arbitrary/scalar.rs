//! Random texts and numbers.

use serde_json::{Number, Value, json};

use super::super::structural::{Bound, Range, Rules};
use super::Arbitrary;
use super::pattern;

/// Texts that differ in length, order, case and script.
const WORDS: [&str; 10] = ["", "a", "b", "ab", "ba", "B", "a-b", "é", "日本", "https://a.example/b"];
/// Integers around the usual limits.
const INTEGERS: [i64; 9] = [0, 1, -1, 2, 3, 7, 10, 100, -100];
/// Floats that are exact in binary.
const FLOATS: [f64; 7] = [0.0, 0.5, -0.5, 1.0, 1.5, -2.25, 1024.0];

impl Arbitrary {
    /// A text without limits.
    pub(super) fn word(&mut self) -> String {
        let hint = self.random.choice(&self.hints.texts).cloned();
        let word = self.random.choice(WORDS).unwrap_or_default();
        match (hint, self.random.u32(..6)) {
            (Some(hint), 0..=1) => hint,
            (Some(hint), 2) => hint + word,
            (Some(hint), 3) => word.to_owned() + &hint,
            _ => word.to_owned(),
        }
    }

    pub(super) fn text(&mut self, rules: &Rules) -> String {
        if let Some(known) = rules.format.as_deref().and_then(of_format) {
            return (*self.random.choice(known).unwrap_or(&"")).to_owned();
        }
        let Some(regex) = &rules.pattern else {
            let word = self.word();
            return fitted(&word, rules.length);
        };
        let words = (0..4).map(|_| fitted(&self.word(), rules.length)).collect::<Vec<_>>();
        match words.into_iter().find(|word| regex.is_match(word)) {
            Some(word) => word,
            None => pattern::text(regex.as_str(), &mut self.random),
        }
    }

    pub(super) fn integer(&mut self, rules: &Rules) -> Value {
        let (least, most) = integer_limits(rules);
        let hint = self.random.choice(&self.hints.integers).copied();
        let plain = self.random.choice(INTEGERS).unwrap_or_default();
        let drawn = match (hint, self.random.u32(..12)) {
            (_, 0) => least,
            (_, 1) => most,
            (Some(hint), 2..=4) => hint,
            (Some(hint), 5) => hint.saturating_add(1),
            (Some(hint), 6) => hint.saturating_sub(1),
            _ => plain,
        };
        let step = rules.multiple.as_ref().and_then(Number::as_i64).filter(|step| *step > 0).unwrap_or(1);
        let drawn = drawn.clamp(least, most.max(least));
        // The multiple below, or above where there is none below.
        let beyond = drawn.rem_euclid(step);
        json!(drawn.checked_sub(beyond).unwrap_or_else(|| drawn + (step - beyond)))
    }

    pub(super) fn number(&mut self, rules: &Rules) -> Value {
        let limit = |bound: &Option<Bound>| bound.as_ref().and_then(|bound| bound.limit.as_f64());
        let (least, most) = (limit(&rules.minimum).unwrap_or(f64::MIN), limit(&rules.maximum).unwrap_or(f64::MAX));
        let hint = self.random.choice(&self.hints.floats).copied();
        let plain = self.random.choice(FLOATS).unwrap_or_default();
        let drawn = match (hint, self.random.u32(..4)) {
            (Some(hint), 0) => hint,
            (Some(hint), 1) => hint + 0.5,
            _ => plain,
        };
        json!(drawn.clamp(least, most.max(least)))
    }
}

/// Cut, or filled with letters, to the length.
fn fitted(word: &str, length: Range) -> String {
    let size = |limit: Option<u64>, otherwise| limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(otherwise);
    let mut text: String = word.chars().take(size(length.max, usize::MAX)).collect();
    let missing = size(length.min, 0).saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n('a', missing));
    text
}

/// The limits of the schema, or of the Rust type in its format.
fn integer_limits(rules: &Rules) -> (i64, i64) {
    let (least, most) = match rules.format.as_deref() {
        Some("int8") => (i64::from(i8::MIN), i64::from(i8::MAX)),
        Some("int16") => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint8") => (0, i64::from(u8::MAX)),
        Some("uint16") => (0, i64::from(u16::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("uint" | "uint64") => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    };
    let limit = |bound: &Option<Bound>, inside: i64| {
        let bound = bound.as_ref()?;
        let limit = bound.limit.as_i64().or_else(|| bound.limit.as_f64().map(|limit| limit as i64))?;
        Some(if bound.exclusive { limit.saturating_add(inside) } else { limit })
    };
    (
        limit(&rules.minimum, 1).map_or(least, |limit| limit.max(least)),
        limit(&rules.maximum, -1).map_or(most, |limit| limit.min(most)),
    )
}

/// Texts of the formats that an API server checks.
fn of_format(format: &str) -> Option<&'static [&'static str]> {
    Some(match format {
        "byte" => &["", "YQ==", "Yg=="],
        "cidr" => &["10.0.0.0/8", "fd00::/8"],
        "date" => &["2026-01-01", "2027-12-31"],
        "date-time" | "datetime" => &["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "2027-12-31T12:00:00+01:00"],
        "duration" => &["5s", "1h", "1h0m5s"],
        "email" => &["a@example.com"],
        "hostname" => &["a.example.com", "b"],
        "ip" | "ipv4" => &["10.0.0.1", "10.0.0.2"],
        "ipv6" => &["fd00::1", "fd00::2"],
        "mac" => &["00:00:5e:00:53:01"],
        "uri" => &["https://a.example/", "https://b.example/c"],
        "uuid" | "uuid4" => &["f47ac10b-58cc-4372-a567-0e02b2c3d479", "9b2c7f3e-1f0a-4d7e-8a55-6a1d0c3b2e4f"],
        _ => return None,
    })
}
