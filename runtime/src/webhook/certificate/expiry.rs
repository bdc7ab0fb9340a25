//! The end of the validity of a certificate, read from its DER.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The tags of ASN.1 that lead to the validity.
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// When the certificate expires (`notAfter`, RFC 5280 section 4.1.2.5); `None` if the bytes are no certificate.
pub(super) fn expires(certificate: &[u8]) -> Option<Timestamp> {
    let (tag, certificate, _) = element(certificate)?;
    let (inner_tag, signed, _) = element(certificate)?;
    if (tag, inner_tag) != (SEQUENCE, SEQUENCE) {
        return None;
    }
    let mut rest = signed;
    if let Some((VERSION, _, after)) = element(rest) {
        rest = after;
    }
    // The serial number, the algorithm and the issuer.
    for _ in 0..3 {
        rest = element(rest)?.2;
    }
    let (tag, validity, _) = element(rest)?;
    let (_, _, after_begin) = element(validity)?;
    let (kind, end, _) = element(after_begin)?;
    if tag == SEQUENCE { time(kind, end) } else { None }
}

/// The first element: its tag, its content, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

/// `YYMMDDHHMMSSZ`, or `YYYYMMDDHHMMSSZ`. Both are in UTC.
fn time(kind: u8, text: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let text = match kind {
        // Years from 50 on are of the last century.
        UTC_TIME => format!("{}{text}", if text.get(..2)? < "50" { "20" } else { "19" }),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%S", text).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::super::pair::{certified, tests_files};
    use super::*;

    #[test]
    fn the_end_of_a_certificate_is_that_with_which_it_was_made() {
        let now: Timestamp = "2031-02-03T04:05:06Z".parse().unwrap_or_else(|error| panic!("{error}"));
        let pair = super::super::pair::Pair::make(&["localhost".to_owned()], now).unwrap_or_else(|why| panic!("{why}"));
        let certified = pair.certified().unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(expires(&certified.cert[0]), Some(pair.expires));
    }

    #[test]
    fn both_forms_of_a_time_are_read() {
        let read = |kind, text: &str| time(kind, text.as_bytes()).map(|time| time.to_string());
        assert_eq!(read(UTC_TIME, "310203040506Z").as_deref(), Some("2031-02-03T04:05:06Z"));
        assert_eq!(read(UTC_TIME, "990203040506Z").as_deref(), Some("1999-02-03T04:05:06Z"));
        assert_eq!(read(GENERALIZED_TIME, "20510203040506Z").as_deref(), Some("2051-02-03T04:05:06Z"));
        for wrong in ["", "Z", "310203040506", "311303040506Z", "ä10203040506Z"] {
            assert_eq!(read(UTC_TIME, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn bytes_that_are_no_certificate_have_no_end() {
        let (certificate, key) = tests_files();
        let whole = certified(certificate.as_bytes(), key.as_bytes()).unwrap_or_else(|why| panic!("{why}"));
        let whole = whole.cert[0].to_vec();
        for end in 0..whole.len() {
            assert_eq!(expires(&whole[..end]), None, "cut off after {end} bytes");
        }
        for at in 0..whole.len().min(200) {
            for value in [0, 0x7f, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[at] = value;
                // It must not panic; most of these are still read.
                let _ = expires(&changed);
            }
        }
    }
}
