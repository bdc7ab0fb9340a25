//! Fast searches in JSON text: the end of a string, of a line and of a list.

const ONES: u64 = u64::from_le_bytes([1; 8]);
const TOPS: u64 = u64::from_le_bytes([0x80; 8]);

/// The position of the first quote or backslash. Reads eight bytes at a time, since most strings of an object are too short for a
/// vectorised search to pay off.
#[inline]
pub(crate) fn quote_or_backslash(text: &[u8]) -> Option<usize> {
    first(text, |word| has(word, b'"') | has(word, b'\\'), |byte| matches!(byte, b'"' | b'\\'))
}

/// The position of the first newline.
pub(crate) fn newline(text: &[u8]) -> Option<usize> {
    first(text, |word| has(word, b'\n'), |byte| byte == b'\n')
}

/// The position of the last newline.
pub(crate) fn last_newline(text: &[u8]) -> Option<usize> {
    let is_it = |byte: &u8| *byte == b'\n';
    let (rest, words) = text.as_rchunks::<8>();
    let with_one = words.iter().rposition(|word| has(u64::from_le_bytes(*word), b'\n') != 0);
    let in_word = with_one.and_then(|nth| Some(rest.len() + 8 * nth + words[nth].iter().rposition(is_it)?));
    in_word.or_else(|| rest.iter().rposition(is_it))
}

/// The end of the list whose first item begins here, in simple cases: the list is complete, contains no list, and its strings escape only
/// quotes.
pub(crate) fn end_of_list(text: &[u8]) -> Option<usize> {
    let (mut from, mut quotes) = (0, 0);
    loop {
        let end = from + first(&text[from..], |word| has(word, b']'), |byte| byte == b']')?;
        let (part, next) = (&text[from..end], &text[from + 1..=end]);
        let backslashes = count(part, part, |byte, _| byte == b'\\');
        let escaped = count(part, next, |byte, next| (byte == b'\\') & (next == b'"'));
        let lists = count(part, part, |byte, _| byte == b'[');
        if backslashes != escaped || lists > 0 {
            return None;
        }
        quotes += count(part, part, |byte, _| byte == b'"') - escaped;
        if quotes % 2 == 0 {
            return Some(end);
        }
        from = end + 1;
    }
}

/// The number of bytes that, together with the byte in `next`, satisfy the predicate.
fn count(text: &[u8], next: &[u8], is_it: impl Fn(u8, u8) -> bool) -> usize {
    // Sums over at most 255 bytes fit into a byte, so the compiler can vectorise them.
    let parts = text.chunks(255).zip(next.chunks(255));
    let sum = |(text, next): (&[u8], &[u8])| {
        text.iter().zip(next).map(|(byte, next)| u8::from(is_it(*byte, *next))).sum::<u8>()
    };
    parts.map(|part| usize::from(sum(part))).sum()
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

/// Sets the top bit of the first matching byte. Bits of later bytes may be set, too.
#[inline]
fn has(word: u64, byte: u8) -> u64 {
    let zeros = word ^ (ONES * u64::from(byte));
    zeros.wrapping_sub(ONES) & !zeros & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_of_list_agrees_with_a_decoder_or_is_unknown() {
        for (text, end) in [
            ("],[]", Some(0)),
            ("{\"a\":{\".\":{},\"k:{\\\"]\\\"}\":{}}},{}],\"b\":[]", Some(32)),
            ("\"]\",\"]]\"],", Some(8)),
            ("{\"a\":[1]}]", None),
            ("\"[\"]", None),
            ("\"\\\\\"]", None),
            ("\"\\n\"]", None),
            ("{\"a\":1}", None),
            ("\"a]", None),
            ("\"\\]", None),
        ] {
            assert_eq!(end_of_list(text.as_bytes()), end, "{text}");
        }
        let long = format!("{}]", "{\"a\\\"b\":\"]\"},".repeat(300));
        assert_eq!(end_of_list(long.as_bytes()), Some(long.len() - 1));
    }

    #[test]
    fn the_first_match_is_found_at_any_position() {
        for length in 0..40 {
            let plain = vec![b'#'; length];
            assert_eq!((quote_or_backslash(&plain), last_newline(&plain)), (None, None));
            for at in 0..length {
                for (byte, filler) in [(b'"', b'#'), (b'\\', b'!'), (b'"', 0), (b'\\', 0xff)] {
                    let mut text = vec![filler; length];
                    text[at] = byte;
                    // The bytes after the match do not count.
                    text[at + 1..].fill(byte ^ 1);
                    assert_eq!(quote_or_backslash(&text), Some(at), "{length} {at}");
                    text[at] = b'\n';
                    assert_eq!(newline(&text), Some(at), "{length} {at}");
                    for later in at..length {
                        assert_eq!(last_newline(&text), Some(at), "{length} {at}");
                        text[later] = b'\n';
                        assert_eq!(last_newline(&text), Some(later), "{length} {at}");
                        text[later] = if later == at { b'\n' } else { b'#' };
                    }
                }
            }
        }
    }
}
