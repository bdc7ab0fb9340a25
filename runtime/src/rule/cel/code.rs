//! Pieces of CEL with the precedence of their outermost operator, so that they can be combined with as few parentheses as possible.

/// The precedence of an expression, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Choice,
    Or,
    And,
    Relation,
    Sum,
    Product,
    Unary,
    Primary,
}

/// A piece of CEL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Code {
    text: String,
    level: Level,
}

impl Code {
    /// A literal, a variable, a call.
    pub(super) fn primary(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: Level::Primary }
    }

    pub(super) fn bool(value: bool) -> Self {
        Self::primary(if value { "true" } else { "false" })
    }

    /// A text literal.
    pub(super) fn text(value: &str) -> Self {
        let mut out = String::from("'");
        for c in value.chars() {
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => out.push(c),
            }
        }
        out.push('\'');
        Self::primary(out)
    }

    /// Digits; a negative number has the precedence of its sign.
    pub(super) fn number(text: String) -> Self {
        let level = if text.starts_with('-') { Level::Unary } else { Level::Primary };
        Self { text, level }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn is(&self, literal: &str) -> bool {
        self.text == literal
    }

    /// The text as an operand of an operator with this precedence.
    fn under(&self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }

    /// `base.name`, `base.name(arguments)`
    pub(super) fn member(&self, name: &str) -> Self {
        Self::primary(format!("{}.{name}", self.under(Level::Primary)))
    }

    /// `base.name(argument)`
    pub(super) fn method(&self, name: &str, argument: &Self) -> Self {
        self.member(&format!("{name}({})", argument.text))
    }

    /// `base[index]`
    pub(super) fn index(&self, index: &Self) -> Self {
        Self::primary(format!("{}[{}]", self.under(Level::Primary), index.text))
    }

    /// `name(self)`
    pub(super) fn called(&self, name: &str) -> Self {
        Self::primary(format!("{name}({})", self.text))
    }

    pub(super) fn not(&self) -> Self {
        match self.text.as_str() {
            "true" => Self::bool(false),
            "false" => Self::bool(true),
            _ => Self { text: format!("!{}", self.under(Level::Primary)), level: Level::Unary },
        }
    }

    pub(super) fn negative(&self) -> Self {
        Self { text: format!("-{}", self.under(Level::Primary)), level: Level::Unary }
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        match (self.text.as_str(), other.text.as_str()) {
            ("true", _) | (_, "false") => other.clone(),
            (_, "true") | ("false", _) => self.clone(),
            _ => self.joined("&&", other, Level::And),
        }
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        match (self.text.as_str(), other.text.as_str()) {
            ("false", _) | (_, "true") => other.clone(),
            (_, "false") | ("true", _) => self.clone(),
            _ => self.joined("||", other, Level::Or),
        }
    }

    /// `self op other`, where both sides bind more tightly than the relation.
    pub(super) fn relation(&self, operator: &str, other: &Self) -> Self {
        let (left, right) = (self.under(Level::Sum), other.under(Level::Sum));
        Self { text: format!("{left} {operator} {right}"), level: Level::Relation }
    }

    /// An operator that binds to the left.
    pub(super) fn joined(&self, operator: &str, other: &Self, level: Level) -> Self {
        let tighter = match level {
            Level::Or | Level::And => level,
            Level::Sum => Level::Product,
            _ => Level::Unary,
        };
        Self { text: format!("{} {operator} {}", self.under(level), other.under(tighter)), level }
    }

    /// `self ? yes : no`
    pub(super) fn choose(&self, yes: &Self, no: &Self) -> Self {
        match self.text.as_str() {
            "true" => yes.clone(),
            "false" => no.clone(),
            _ if yes == no => yes.clone(),
            _ => {
                let [condition, yes, no] = [self, yes, no].map(|part| part.under(Level::Or));
                Self { text: format!("{condition} ? {yes} : {no}"), level: Level::Choice }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_are_printed_where_they_are_needed() {
        let [a, b, c] = ["a", "b", "c"].map(Code::primary);
        let cases = [
            (a.or(&b).and(&c), "(a || b) && c"),
            (a.and(&b).or(&c), "a && b || c"),
            (a.relation("==", &b).not(), "!(a == b)"),
            (a.joined("-", &b.joined("-", &c, Level::Sum), Level::Sum), "a - (b - c)"),
            (a.joined("-", &b, Level::Sum).joined("-", &c, Level::Sum), "a - b - c"),
            (a.joined("+", &b, Level::Sum).joined("*", &c, Level::Product), "(a + b) * c"),
            (a.choose(&b, &c).choose(&b, &c.choose(&a, &b)), "(a ? b : c) ? b : (c ? a : b)"),
            (a.relation("<", &b).relation("==", &c), "(a < b) == c"),
            (Code::number("-3".into()).negative(), "-(-3)"),
            (a.or(&b).member("size()"), "(a || b).size()"),
        ];
        for (code, wanted) in cases {
            assert_eq!(code.into_text(), wanted);
        }
    }

    #[test]
    fn literals_decide_what_they_can() {
        let (a, yes, no) = (Code::primary("a"), Code::bool(true), Code::bool(false));
        assert_eq!((a.and(&yes), yes.and(&a), a.or(&no)), (a.clone(), a.clone(), a.clone()));
        assert_eq!((a.and(&no), a.or(&yes), yes.not()), (no.clone(), yes.clone(), no.clone()));
        assert_eq!(yes.choose(&a, &no), a);
    }

    #[test]
    fn text_literals_are_escaped() {
        assert_eq!(Code::text("it's \\ \n\u{1} ü").into_text(), r"'it\'s \\ \n\u0001 ü'");
    }
}
