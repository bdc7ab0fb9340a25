//! The text of a template without its statements: what can be read without the values.

/// Stands for `{{ .. }}`: a text that is known only with the values.
pub(super) const PRINTED: char = '\u{1}';

/// Stands for `{% .. %}`.
const STATEMENT: char = '\u{2}';

/// One line of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// The number of the line, from 1.
    pub(super) number: usize,
    /// The text, with [`PRINTED`] for each expression.
    pub(super) text: String,
    /// Whether it is inside of `{% if %}` or `{% for %}`, so that it may be there not at all or several times.
    pub(super) conditional: bool,
    /// Whether it contains statements or expressions.
    pub(super) templated: bool,
}

/// The lines of a template.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let (mut lines, mut depth) = (Vec::new(), 0_usize);
    for (number, (line, depths)) in mark(text).lines().zip(depths(text)).enumerate() {
        // A line with `{% if %}` or `{% endif %}` is conditional itself.
        let conditional = depth > 0 || depths > 0;
        depth = depths;
        let templated = line.contains([PRINTED, STATEMENT]);
        let text = line.trim_end().chars().filter(|letter| *letter != STATEMENT).collect();
        lines.push(Line { number: number + 1, text, conditional, templated });
    }
    lines
}

/// The text with marks for expressions and statements. Line breaks stay.
fn mark(text: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    for Part { kind, text } in parts(text) {
        match kind {
            Kind::Plain => marked.push_str(text),
            Kind::Expression => marked.push(PRINTED),
            Kind::Statement => marked.push(STATEMENT),
            Kind::Comment => {}
        }
        if kind != Kind::Plain {
            marked.extend(text.chars().filter(|letter| *letter == '\n'));
        }
    }
    marked
}

/// The number of open blocks at the end of each line.
fn depths(text: &str) -> Vec<usize> {
    let (mut depth, mut depths) = (0_usize, Vec::new());
    for Part { kind, text } in parts(text) {
        if kind == Kind::Statement {
            match word(text) {
                "if" | "for" => depth += 1,
                "endif" | "endfor" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        depths.extend(text.chars().filter(|letter| *letter == '\n').map(|_| depth));
    }
    depths.push(depth);
    depths
}

/// The first word of a statement.
fn word(statement: &str) -> &str {
    let inner = statement.trim_start_matches("{%").trim_start_matches(['-', '+']).trim_start();
    inner.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next().unwrap_or_default()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Plain,
    Expression,
    Statement,
    Comment,
}

struct Part<'a> {
    kind: Kind,
    text: &'a str,
}

const DELIMITERS: [(Kind, &str, &str); 3] =
    [(Kind::Expression, "{{", "}}"), (Kind::Statement, "{%", "%}"), (Kind::Comment, "{#", "#}")];

/// The parts of a template. What is not closed reaches to its end.
fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut rest, mut parts) = (text, Vec::new());
    let mut push = |kind, text| parts.push(Part { kind, text });
    while !rest.is_empty() {
        let next = DELIMITERS.iter().filter_map(|one| Some((rest.find(one.1)?, one))).min_by_key(|(at, _)| *at);
        let Some((at, (kind, open, close))) = next else { break };
        let (before, from) = rest.split_at(at);
        push(Kind::Plain, before);
        let end = open.len() + end_of(*kind, &from[open.len()..], close);
        let (inside, after) = from.split_at(end);
        push(*kind, inside);
        rest = after;
        if *kind == Kind::Statement && word(inside) == "raw" {
            // What follows is text, whatever it looks like.
            let end = rest.find("{% endraw").or_else(|| rest.find("{%- endraw")).unwrap_or(rest.len());
            let (raw, after) = rest.split_at(end);
            push(Kind::Plain, raw);
            rest = after;
        }
    }
    push(Kind::Plain, rest);
    parts
}

/// The place after the closing delimiter. One in quotation marks does not count.
fn end_of(kind: Kind, text: &str, close: &str) -> usize {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match quote {
            Some(open) if open == letter => quote = None,
            None if text[at..].starts_with(close) => return at + close.len(),
            None if kind != Kind::Comment && (letter == '"' || letter == '\'') => quote = Some(letter),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        lines(text).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn statements_and_comments_are_left_out() {
        assert_eq!(texts("{% if x %}\na: {{ b }}c{# d: e\n #}\n{%- endif -%}"), ["", "a: \u{1}c", "", ""]);
        assert_eq!(texts("a: {{ \"}}\" ~ '%}' }}\nb: 1"), ["a: \u{1}", "b: 1"]);
        assert_eq!(texts("{% raw %}{{ a }}{% endraw %}"), ["{{ a }}"]);
        assert_eq!(texts("a: {{ b"), ["a: \u{1}"]);
    }

    #[test]
    fn lines_in_blocks_are_conditional() {
        let text = "a\n{% if x %}\nb\n{% for y in z %}{% endfor %}\n{% endif %}\nc\n{% set d = 1 %}\nd";
        let conditional: Vec<usize> =
            lines(text).iter().filter(|line| line.conditional).map(|line| line.number).collect();
        assert_eq!(conditional, [2, 3, 4, 5]);
    }
}
