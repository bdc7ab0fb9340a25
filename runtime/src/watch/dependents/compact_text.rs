//! Texts that are numbers as a rule, stored as numbers.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// A text that is stored as an `N` if that prints the same text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompactText<N> {
    Number(N),
    Other(Box<str>),
}

impl<N: FromStr + fmt::Display> CompactText<N> {
    pub(super) fn new(text: &str) -> Self {
        match text.parse().ok().filter(|number: &N| number.to_string() == text) {
            Some(number) => Self::Number(number),
            None => Self::Other(text.into()),
        }
    }
}

impl<N: fmt::Display> fmt::Display for CompactText<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// A UUID as the API server prints it. Bytes, since a `u128` would align all that contains it to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uuid([u8; 16]);

impl FromStr for Uuid {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        u128::from_str_radix(&text.replace('-', ""), 16).map(|number| Self(number.to_be_bytes()))
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = u128::from_be_bytes(self.0);
        let [a, b, c, d] = [number >> 96, number >> 80 & 0xffff, number >> 64 & 0xffff, number >> 48 & 0xffff];
        write!(f, "{a:08x}-{b:04x}-{c:04x}-{d:04x}-{:012x}", number & 0xffff_ffff_ffff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the text is stored as a number. It is printed as it was in any case.
    fn is_number<N: FromStr + fmt::Display>(text: &str) -> bool {
        let stored = CompactText::<N>::new(text);
        assert_eq!(stored.to_string(), text);
        matches!(stored, CompactText::Number(_))
    }

    #[test]
    fn a_text_that_a_number_prints_is_stored_as_the_number() {
        assert!(["0", "7", "18446744073709551615"].iter().all(|text| is_number::<u64>(text)));
        assert!(is_number::<Uuid>("00000000-0000-0000-0000-000000000000"));
        assert!(is_number::<Uuid>("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"));
    }

    #[test]
    fn any_other_text_is_stored_as_it_is() {
        for text in ["", "07", "+7", "-7", "18446744073709551616", "a"] {
            assert!(!is_number::<u64>(text), "{text}");
        }
        for text in ["", "7", "0A1B2C3D-4e5f-6071-8293-a4b5c6d7e8f9", "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "a-b"] {
            assert!(!is_number::<Uuid>(text), "{text}");
        }
    }
}
