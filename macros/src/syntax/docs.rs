//! Doc comments as text, for generated pages.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment, lines joined.
pub(crate) fn text(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            other => Some(other.to_token_stream().to_string()),
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The first sentence of a doc comment, on one line for use in messages. Links become plain code.
pub(crate) fn sentence(doc: &str) -> String {
    let paragraph = doc.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    // A full stop ends the sentence if a new one begins after it, but not in `e.g. this` or `1.20`.
    let begins = |word: &str| word.chars().find(|c| c.is_alphanumeric()).is_some_and(|first| !first.is_lowercase());
    let ends = |pair: &[&str]| pair[0].ends_with(['.', '!', '?']) && begins(pair[1]);
    let end = words.windows(2).position(ends).map_or(words.len(), |last| last + 1);
    words[..end].join(" ").replace("[`", "`").replace("`]", "`")
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_sentence_ends_where_the_next_begins() {
        for (doc, wanted) in [
            ("It is stored.", "It is stored."),
            ("It is stored", "It is stored"),
            ("It is stored. In S3.", "It is stored."),
            ("It is stored\nin S3! `Url` says where.", "It is stored in S3!"),
            ("It is stored, e.g. in S3, since 1.20. Else not.", "It is stored, e.g. in S3, since 1.20."),
            ("The [`Secret`] is there.\n\nMore.", "The `Secret` is there."),
            ("", ""),
        ] {
            assert_eq!(sentence(doc), wanted);
        }
    }
}
