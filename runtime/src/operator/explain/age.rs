//! Ages, as kubectl prints them.

use jiff::Timestamp;

/// The time since then: `90s`, `12m`, `30h`, `3d`.
pub(in crate::operator) fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs().max(0);
    match seconds {
        ..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_one_unit() {
        let then = Timestamp::UNIX_EPOCH;
        for (seconds, text) in [
            (-5, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (7_199, "119m"),
            (7_200, "2h"),
            (172_799, "47h"),
            (172_800, "2d"),
        ] {
            assert_eq!(age(Timestamp::from_second(seconds).unwrap(), then), text);
        }
    }
}
