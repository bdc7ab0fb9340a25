//! Where a string of a JSON text may end, and its line.

const ONES: u64 = u64::from_le_bytes([1; 8]);
const TOPS: u64 = u64::from_le_bytes([0x80; 8]);

/// The place of the first quote or backslash. Eight bytes at a time: most strings of an object are shorter than what the call of a
/// vectorised search costs.
#[inline]
pub(crate) fn quote_or_backslash(text: &[u8]) -> Option<usize> {
    first(text, |word| has(word, b'"') | has(word, b'\\'), |byte| matches!(byte, b'"' | b'\\'))
}

/// The place of the first newline.
pub(crate) fn newline(text: &[u8]) -> Option<usize> {
    first(text, |word| has(word, b'\n'), |byte| byte == b'\n')
}

#[inline]
fn first(text: &[u8], in_word: impl Fn(u64) -> u64, is_it: impl Fn(u8) -> bool) -> Option<usize> {
    let (words, rest) = text.as_chunks::<8>();
    for (nth, word) in words.iter().enumerate() {
        let found = in_word(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(8 * nth + found.trailing_zeros() as usize / 8);
        }
    }
    let tail = rest.iter().position(|byte| is_it(*byte))?;
    Some(8 * words.len() + tail)
}

/// The top bit of the first byte that is this one is set; bits of later bytes may be, too.
#[inline]
fn has(word: u64, byte: u8) -> u64 {
    let zeros = word ^ (ONES * u64::from(byte));
    zeros.wrapping_sub(ONES) & !zeros & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_them_is_found_wherever_it_stands() {
        for length in 0..40 {
            let plain = vec![b'#'; length];
            assert_eq!(quote_or_backslash(&plain), None);
            for at in 0..length {
                for (byte, filler) in [(b'"', b'#'), (b'\\', b'!'), (b'"', 0), (b'\\', 0xff)] {
                    let mut text = vec![filler; length];
                    text[at] = byte;
                    // What comes after it does not count.
                    text[at + 1..].fill(byte ^ 1);
                    assert_eq!(quote_or_backslash(&text), Some(at), "{length} {at}");
                    text[at] = b'\n';
                    assert_eq!(newline(&text), Some(at), "{length} {at}");
                }
            }
        }
    }
}
