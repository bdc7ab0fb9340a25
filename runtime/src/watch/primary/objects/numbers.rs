//! UIDs and versions in their usual form, as numbers.

/// The bytes of a UID in its usual form.
pub(super) fn uid(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.split('-').collect();
    let uid = u128::from_str_radix(&digits, 16).ok()?.to_be_bytes();
    (uid_text(uid) == text).then_some(uid)
}

pub(super) fn uid_text(uid: [u8; 16]) -> String {
    let digits = format!("{:032x}", u128::from_be_bytes(uid));
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// A version that is a number in its usual form.
pub(super) fn number(version: &str) -> Option<u64> {
    version.parse::<u64>().ok().filter(|number| number.to_string() == version)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UID: &str = "0a1b2c3d-0001-4000-8000-00000000abcd";

    #[test]
    fn a_uid_in_its_usual_form_becomes_a_number() {
        assert_eq!(uid(UID).map(uid_text).as_deref(), Some(UID));
        for other in ["u", "", "0A1B2C3D-0001-4000-8000-00000000ABCD", "0a1b2c3d00014000800000000000abcd"] {
            assert_eq!(uid(other), None, "{other}");
        }
        assert_eq!((number("70"), number("070"), number("x")), (Some(70), None, None));
    }
}
