//! Messages: truncated to the maximum size, and sanitized.

/// The maximum length of the message of a condition in Kubernetes, in bytes.
pub const MAX_MESSAGE: usize = 32_768;

/// Sanitizes a message before it is stored.
///
/// - The user info and the query of URLs are removed. Signed URLs have their secret in the query, and clone URLs have theirs before the `@`.
/// - Control characters are escaped: a newline becomes `\\n`. Otherwise a newline from a field of the spec could forge a line in a log or in
///   the output of `kubectl describe`.
/// - A text longer than [`MAX_MESSAGE`] is truncated at a character boundary.
///
/// ```
/// use evenkeel::condition::sanitize;
/// assert_eq!(sanitize("get https://bob:pw@git.example.com/x?sig=1: refused"), "get https://git.example.com/x: refused");
/// assert_eq!(sanitize("no tag v1\nReady"), "no tag v1\\nReady");
/// ```
#[must_use]
pub fn sanitize(message: &str) -> String {
    clean(message.to_owned())
}

/// The same as [`sanitize`], without copying a message that contains no URL.
pub(crate) fn clean(message: String) -> String {
    let message = if message.contains("://") { without_secrets(&message) } else { message };
    cut(escape(message))
}

fn without_secrets(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        let end = tail.find(|c: char| c.is_whitespace() || "\"'`<>".contains(c)).unwrap_or(tail.len());
        let (url, after) = tail.split_at(end);
        push_url(&mut out, url);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Escapes control characters and Unicode line separators as in a Rust string literal.
pub(crate) fn escape(text: String) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if !text.contains(breaks) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if breaks(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

fn push_url(out: &mut String, url: &str) {
    let authority = url.find('/').unwrap_or(url.len());
    let url = match url[..authority].rfind('@') {
        Some(at) => &url[at + 1..],
        None => url,
    };
    let Some(query) = url.find('?') else {
        return out.push_str(url);
    };
    out.push_str(&url[..query]);
    // Punctuation after the URL belongs to the surrounding sentence, not to the query.
    let tail = url.trim_end_matches([':', ',', ';', '.', ')', ']']);
    out.push_str(&url[tail.len().max(query)..]);
}

fn cut(mut text: String) -> String {
    if text.len() <= MAX_MESSAGE {
        return text;
    }
    let mut end = MAX_MESSAGE - 3;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str("...");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_query_and_user_info_are_removed_from_messages() {
        let text = "Get \"https://u:p@h.example/a?sig=s\": refused; see http://x?y=1, and git@h:a";
        let clean = sanitize(text);
        assert_eq!(clean, "Get \"https://h.example/a\": refused; see http://x, and git@h:a");
    }

    #[test]
    fn a_message_is_escaped_once_into_one_line() {
        let clean = sanitize("a\nb\r\tc\u{1b}[31m\u{2028}é");
        assert_eq!(clean, r"a\nb\r\tc\u{1b}[31m\u{2028}é");
        assert_eq!(sanitize(&clean), clean);
    }

    #[test]
    fn a_long_message_is_cut_at_a_character_boundary() {
        let cut = sanitize(&"ä".repeat(MAX_MESSAGE));
        assert!(cut.len() <= MAX_MESSAGE && cut.ends_with("..."));
    }
}
