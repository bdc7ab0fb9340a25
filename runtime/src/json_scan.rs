//! Fast searches in JSON text: the end of a string and of a list, and whether names are in order.

use memchr::memchr;

/// The maximum nesting depth of a text with names in order, below that of serde_json.
const DEPTH: usize = 64;

const ONES: u64 = u64::from_le_bytes([1; 8]);
const TOPS: u64 = u64::from_le_bytes([0x80; 8]);

/// The position of the first quote or backslash. Reads eight bytes at a time, since most strings of an object are too short for a
/// vectorised search to pay off.
#[inline]
pub(crate) fn quote_or_backslash(text: &[u8]) -> Option<usize> {
    let (words, rest) = text.as_chunks::<8>();
    for (nth, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = has(word, b'"') | has(word, b'\\');
        if found != 0 {
            return Some(8 * nth + found.trailing_zeros() as usize / 8);
        }
    }
    let tail = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    Some(8 * words.len() + tail)
}

/// The end of the string that begins here.
pub(crate) fn end_of_string(text: &[u8], mut at: usize) -> Option<usize> {
    at += 1;
    loop {
        at += quote_or_backslash(text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// The end of the list whose first item begins here; `None`: it is not complete.
pub(crate) fn end_of_list(text: &[u8]) -> Option<usize> {
    simple_end_of_list(text).or_else(|| {
        let (mut at, mut lists) = (0, 0);
        loop {
            match text.get(at)? {
                b'"' => at = end_of_string(text, at)?,
                b'[' => lists += 1,
                b']' if lists == 0 => return Some(at),
                b']' => lists -= 1,
                _ => {}
            }
            at += 1;
        }
    })
}

/// The end of the list whose first item begins here, in simple cases: the list is complete, contains no list, and its strings escape only
/// quotes.
pub(crate) fn simple_end_of_list(text: &[u8]) -> Option<usize> {
    let (mut from, mut quotes) = (0, 0);
    loop {
        let end = from + memchr(b']', &text[from..])?;
        let found = Counts::of(&text[from..end], &text[from + 1..=end]);
        if found.backslashes != found.escaped_quotes || found.lists > 0 {
            return None;
        }
        quotes += found.quotes - found.escaped_quotes;
        if quotes % 2 == 0 {
            return Some(end);
        }
        from = end + 1;
    }
}

/// The numbers of bytes of a text.
#[derive(Default)]
struct Counts<N> {
    backslashes: N,
    /// The quotes after a backslash.
    escaped_quotes: N,
    quotes: N,
    lists: N,
}

impl Counts<usize> {
    /// `next`: the same text, from the second byte to the one after it.
    fn of(text: &[u8], next: &[u8]) -> Self {
        let mut all = Self::default();
        // Sums over at most 255 bytes fit into a byte, so the compiler can vectorise them.
        for (text, next) in text.chunks(255).zip(next.chunks(255)) {
            let mut sums = Counts::<u8>::default();
            for (byte, next) in text.iter().zip(next) {
                let is_backslash = *byte == b'\\';
                sums.backslashes += u8::from(is_backslash);
                sums.escaped_quotes += u8::from(is_backslash & (*next == b'"'));
                sums.quotes += u8::from(*byte == b'"');
                sums.lists += u8::from(*byte == b'[');
            }
            all.backslashes += usize::from(sums.backslashes);
            all.escaped_quotes += usize::from(sums.escaped_quotes);
            all.quotes += usize::from(sums.quotes);
            all.lists += usize::from(sums.lists);
        }
        all
    }
}

/// Whether the fields of each object in a text of serde_json are in order. `false` as well if the text is nested deeply, or if a name has
/// escapes.
pub(crate) fn is_sorted(text: &str) -> bool {
    let (text, mut names, mut depth, mut at) = (text.as_bytes(), [&b""[..]; DEPTH], 0, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                let Some(end) = end_of_string(text, at) else { return false };
                let name = &text[at + 1..end];
                if text.get(end + 1) == Some(&b':') {
                    // The first name may be empty, and no other.
                    let is_first = text[..at].ends_with(b"{");
                    if name.contains(&b'\\') || !is_first && name <= names[depth] {
                        return false;
                    }
                    names[depth] = name;
                }
                at = end;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == DEPTH {
            return false;
        }
        at += 1;
    }
    true
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
    fn the_end_of_a_list_is_where_a_decoder_finds_it() {
        for (text, end, simple) in [
            ("],[]", Some(0), true),
            ("{\"a\":{\".\":{},\"k:{\\\"]\\\"}\":{}}},{}],\"b\":[]", Some(32), true),
            ("\"]\",\"]]\"],", Some(8), true),
            ("{\"a\":[1]}]", Some(9), false),
            ("[[],[\"]\"]],\"\\\\\"]", Some(15), false),
            ("\"[\"]", Some(3), false),
            ("\"\\\\\"]", Some(4), false),
            ("\"\\n\"]", Some(4), false),
            ("{\"a\":1}", None, true),
            ("\"a]", None, true),
            ("\"\\]", None, true),
            ("[[]", None, true),
        ] {
            assert_eq!(end_of_list(text.as_bytes()), end, "{text}");
            let expected = end.filter(|_| simple);
            assert_eq!(simple_end_of_list(text.as_bytes()), expected, "{text}");
        }
        let long = format!("{}]", "{\"a\\\"b\":\"]\"},".repeat(300));
        assert_eq!(simple_end_of_list(long.as_bytes()), Some(long.len() - 1));
    }

    #[test]
    fn a_text_is_sorted_if_each_object_in_it_is() {
        for text in ["7", "[]", "\"b:\"", "{\"\":1,\"a\":{\"z\":{},\"zz\":[{\"b\":1},{\"a\":2}]},\"b\":\"a\"}"] {
            assert!(is_sorted(text), "{text}");
        }
        for text in [
            "{\"b\":1,\"a\":2}",
            "{\"a\":[{\"a\":1},{\"b\":1,\"a\":2}]}",
            "{\"a\":{\"z\":1},\"\":1}",
            "{\"a\\n\":1}",
            "{\"a\":1,\"a\":2}",
        ] {
            assert!(!is_sorted(text), "{text}");
        }
        let deep = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_sorted(&deep(DEPTH - 1)) && !is_sorted(&deep(DEPTH)));
    }

    #[test]
    fn the_first_quote_or_backslash_is_found_at_any_position() {
        for length in 0..40 {
            assert_eq!(quote_or_backslash(&vec![b'#'; length]), None);
            for at in 0..length {
                for (byte, filler) in [(b'"', b'#'), (b'\\', b'!'), (b'"', 0), (b'\\', 0xff)] {
                    let mut text = vec![filler; length];
                    text[at] = byte;
                    // The bytes after the match do not count.
                    text[at + 1..].fill(byte ^ 1);
                    assert_eq!(quote_or_backslash(&text), Some(at), "{length} {at}");
                }
            }
        }
    }
}
