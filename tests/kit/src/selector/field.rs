//! Field selectors: parsing and matching; each kind defines its selectable fields.

#[cfg(test)]
mod law;

use serde_json::Value;

use crate::registry::Kind;

/// A parsed field selector; all terms must match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    label: String,
    equal: bool,
    value: String,
}

impl Fields {
    /// Parses `a.b=c,d!=e` for a kind.
    pub(crate) fn parse(text: &str, kind: &Kind) -> Result<Self, String> {
        let terms = split(text).into_iter().filter(|term| !term.is_empty());
        terms.map(|term| parse_term(&term, text, kind)).collect::<Result<_, _>>().map(Fields)
    }

    pub(super) fn name(&mut self, name: &str) {
        self.0.push(Term { label: "metadata.name".to_owned(), equal: true, value: name.to_owned() });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The only value that the selector allows for a field.
    pub(super) fn exact(&self, label: &str) -> Option<&str> {
        self.0.iter().find(|term| term.equal && term.label == label).map(|term| term.value.as_str())
    }

    pub(crate) fn matches(&self, object: &Value, kind: &Kind) -> bool {
        self.0.iter().all(|term| (kind.field(&term.label, object).unwrap_or_default() == term.value) == term.equal)
    }
}

/// The single name that a selector requires, as authorization reads it.
pub(crate) fn named(text: &str) -> Option<String> {
    let terms = split(text);
    let mut names = terms.iter().filter_map(|term| cut(term)).filter(|(label, ..)| *label == "metadata.name");
    names.find(|(_, operator, _)| *operator != "!=").and_then(|(_, _, value)| unescaped(value).ok())
}

fn parse_term(term: &str, selector: &str, kind: &Kind) -> Result<Term, String> {
    let misread = || format!("invalid selector: '{selector}'; can't understand '{term}'");
    let (label, operator, value) = cut(term).ok_or_else(misread)?;
    if !kind.is_selectable(label) {
        return Err(kind.unselectable(label));
    }
    let value = unescaped(value).map_err(|why| format!("invalid field selector: {why}"))?;
    Ok(Term { label: label.to_owned(), equal: operator != "!=", value })
}

/// Splits at unescaped commas.
fn split(text: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let mut escaped = false;
    for letter in text.chars() {
        if letter == ',' && !escaped {
            terms.push(String::new());
        } else if let Some(term) = terms.last_mut() {
            term.push(letter);
        }
        escaped = letter == '\\' && !escaped;
    }
    terms
}

/// Splits a term into label, operator and value.
fn cut(term: &str) -> Option<(&str, &str, &str)> {
    let (at, operator) = term.char_indices().find_map(|(at, _)| {
        ["!=", "==", "="].into_iter().find(|operator| term[at..].starts_with(operator)).map(|operator| (at, operator))
    })?;
    Some((&term[..at], operator, &term[at + operator.len()..]))
}

/// Unescapes a value: commas, equals signs and backslashes must be escaped; other characters must not be.
fn unescaped(value: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\\' => escaped(letters.next())?,
            ',' | '=' => return Err(format!("unescaped character in value: {}", u32::from(letter))),
            other => other,
        };
        plain.push(letter);
    }
    Ok(plain)
}

fn escaped(letter: Option<char>) -> Result<char, String> {
    let known = letter.filter(|letter| ['\\', ',', '='].contains(letter));
    known.ok_or_else(|| format!("invalid escape sequence: \\{}", letter.map(String::from).unwrap_or_default()))
}
