//! Ages in the format of tables: `45s`, `6m57s`, `3h`, `12d`.

use jiff::Timestamp;
use serde_json::{Value, json};

/// The age of a timestamp, or `<unknown>`.
pub(super) fn since(time: &Value, now: Timestamp) -> Value {
    match time.as_str().map(str::parse::<Timestamp>) {
        None => json!("<unknown>"),
        Some(Err(_)) => json!("<invalid>"),
        Some(Ok(then)) => json!(printed(now.duration_since(then).as_secs())),
    }
}

/// A duration in the format of tables; it has two units if the first number is small.
pub(super) fn printed(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let two = |unit: i64, letter: char, rest: i64, rest_letter: char| match seconds % unit / rest {
        0 => format!("{}{letter}", seconds / unit),
        left => format!("{}{letter}{left}{rest_letter}", seconds / unit),
    };
    match seconds {
        ..=-2 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => two(MINUTE, 'm', 1, 's'),
        _ if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        _ if seconds < 8 * HOUR => two(HOUR, 'h', MINUTE, 'm'),
        _ if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        _ if seconds < 8 * DAY => two(DAY, 'd', HOUR, 'h'),
        _ if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        _ if seconds < 8 * YEAR => two(YEAR, 'y', DAY, 'd'),
        _ => format!("{}y", seconds / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_printed_coarser_as_they_grow() {
        let day = 24 * 3600;
        let cases = [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (417, "6m57s"),
            (28 * 60, "28m"),
            (179 * 60, "179m"),
            (3 * 3600, "3h"),
            (4 * 3600 + 5 * 60, "4h5m"),
            (47 * 3600, "47h"),
            (2 * day, "2d"),
            (3 * day + 7200, "3d2h"),
            (400 * day, "400d"),
            (2 * 365 * day + 4 * day, "2y4d"),
            (9 * 365 * day, "9y"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(printed(seconds), expected);
        }
    }

    #[test]
    fn a_missing_time_has_an_unknown_age() {
        assert_eq!(since(&json!("soon"), Timestamp::UNIX_EPOCH), "<invalid>");
        assert_eq!(since(&Value::Null, Timestamp::UNIX_EPOCH), "<unknown>");
    }
}
