//! Time spans: the notation in specs (`"10m"`, `"1h30m"`), limits and jitter.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The shortest delay that the framework schedules before a pass: one second.
pub(crate) const SHORTEST: Duration = Duration::from_secs(1);
/// The longest delay that the framework schedules before a pass: 30 days.
pub(crate) const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// A run-time value that was out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clamped {
    /// The name of the value, such as "poll time".
    pub(crate) what: &'static str,
    asked: Duration,
}

impl Clamped {
    /// Clamps the value to the range from one second to thirty days. A value out of range is added to `warnings`.
    pub(crate) fn clamp(what: &'static str, asked: Duration, warnings: &mut Vec<Self>) -> Duration {
        let clamped = asked.clamp(SHORTEST, LONGEST);
        if clamped != asked {
            warnings.push(Self { what, asked });
        }
        clamped
    }
}

impl fmt::Display for Clamped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, asked } = self;
        write!(f, "the {what} of {asked:?} was clamped to {:?}", (*asked).clamp(SHORTEST, LONGEST))
    }
}

/// A time span in the notation of specs: `"90s"`, `"10m"`, `"1h30m"`, `"500ms"`, `"2d"`.
///
/// ```
/// use evenkeel::Interval;
/// use std::time::Duration;
/// let interval: Interval = "1h30m".parse().unwrap();
/// assert_eq!(Duration::from(interval), Duration::from_secs(5400));
/// assert!("10 minutes".parse::<Interval>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval(Duration);

const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// The error for a text that is not an [`Interval`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseIntervalError {
    text: String,
}

impl fmt::Display for ParseIntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a duration: write for example \"30s\", \"10m\" or \"1h30m\"", self.text)
    }
}

impl std::error::Error for ParseIntervalError {}

impl FromStr for Interval {
    type Err = ParseIntervalError;

    /// # Errors
    /// The text is not a duration, or the duration is zero or too long.
    fn from_str(text: &str) -> Result<Self, ParseIntervalError> {
        let wrong = || ParseIntervalError { text: text.to_owned() };
        let (mut rest, mut millis) = (text, 0_u64);
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
            let number: u64 = rest[..digits].parse().map_err(|_| wrong())?;
            let unit_end = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |i| digits + i);
            let (_, factor) = UNITS.iter().find(|(name, _)| *name == &rest[digits..unit_end]).ok_or_else(wrong)?;
            millis = number.checked_mul(*factor).and_then(|n| millis.checked_add(n)).ok_or_else(wrong)?;
            rest = &rest[unit_end..];
        }
        if millis == 0 { Err(wrong()) } else { Ok(Self(Duration::from_millis(millis))) }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut millis = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        for (name, factor) in UNITS.iter().rev() {
            if millis >= *factor {
                write!(f, "{}{name}", millis / factor)?;
                millis %= factor;
            }
        }
        Ok(())
    }
}

impl From<Interval> for Duration {
    fn from(interval: Interval) -> Self {
        interval.0
    }
}

impl From<Duration> for Interval {
    fn from(duration: Duration) -> Self {
        Self(duration)
    }
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Interval {
    fn schema_name() -> Cow<'static, str> {
        "Interval".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The API server rejects a text of any other form, so that it is never stored.
        json_schema!({ "type": "string", "pattern": "^([0-9]{1,9}(ms|s|m|h|d))+$" })
    }
}

/// A type for fields and functions in `requeue = spec.interval` and similar arguments.
///
/// Implemented for [`Interval`], [`Duration`] and an `Option` of either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an interval",
    label = "not an interval",
    note = "use an `evenkeel::Interval`, a `Duration`, or an `Option` of one"
)]
pub trait IntoInterval {
    /// The time span, without clamping.
    fn into_interval(self) -> Option<Duration>;
}

impl IntoInterval for Interval {
    fn into_interval(self) -> Option<Duration> {
        Some(self.0)
    }
}

impl IntoInterval for Option<Interval> {
    fn into_interval(self) -> Option<Duration> {
        self.map(|interval| interval.0)
    }
}

impl IntoInterval for Duration {
    fn into_interval(self) -> Option<Duration> {
        Some(self)
    }
}

impl IntoInterval for Option<Duration> {
    fn into_interval(self) -> Option<Duration> {
        self
    }
}

/// A random variation of intervals.
///
/// An interval is multiplied by a factor from `1 - p` to `1 + p`, so that passes which start at the same time do not stay synchronized. The
/// default is five percent.
///
/// ```
/// use evenkeel::Jitter;
/// let jitter = Jitter::percent(10).unwrap();
/// assert_eq!((jitter.factor(0.0), jitter.factor(0.5), jitter.factor(1.0)), (0.9, 1.0, 1.1));
/// assert_eq!(Jitter::NONE.factor(0.7), 1.0);
/// assert!(Jitter::percent(100).is_none(), "an interval may not vanish");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter(f64);

impl Jitter {
    /// No jitter.
    pub const NONE: Self = Self(0.0);

    /// A jitter of this percentage, at most 99. Returns `None` for a higher value.
    #[must_use]
    pub fn percent(percentage: u8) -> Option<Self> {
        (percentage < 100).then(|| Self(f64::from(percentage) / 100.0))
    }

    /// A jitter of this fraction. A value that is not between zero and one gives no jitter.
    #[must_use]
    pub fn fraction(p: f64) -> Self {
        Self(if p > 0.0 && p < 1.0 { p } else { 0.0 })
    }

    /// The factor for a uniform random number from 0 to 1.
    #[must_use]
    pub fn factor(self, drawn: f64) -> f64 {
        1.0 + self.0 * (2.0 * drawn.clamp(0.0, 1.0) - 1.0)
    }

    /// The interval with jitter, for a uniform random number from 0 to 1.
    #[must_use]
    pub fn spread(self, interval: Duration, drawn: f64) -> Duration {
        interval.mul_f64(self.factor(drawn))
    }
}

impl Default for Jitter {
    /// A jitter of five percent.
    fn default() -> Self {
        Self(0.05)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_survives_a_round_trip() {
        for text in ["500ms", "30s", "10m", "1h30m", "2d", "1d2h3m4s"] {
            assert_eq!(text.parse::<Interval>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn an_invalid_interval_is_rejected_with_an_example() {
        for text in ["", "0s", "10", "m", "10 m", "-1s", "1w", "99999999999999999999s"] {
            assert!(text.parse::<Interval>().unwrap_err().to_string().contains("10m"), "{text}");
        }
    }
}
