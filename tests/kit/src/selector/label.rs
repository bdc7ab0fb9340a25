//! Label selectors: a lexer, a recursive descent parser like that of Kubernetes, and matching.

#[cfg(test)]
mod law;

use std::iter::Peekable;
use std::vec::IntoIter;

use serde_json::Value;

use crate::names;

/// A parsed label selector; all requirements must match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
    Greater(i64),
    Less(i64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Symbol(&'static str),
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Token::Word(word) => word,
            Token::Symbol(symbol) => symbol,
        }
    }
}

impl Labels {
    /// Parses `a=b,c in (d,e),!f`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Parser { tokens: tokens(text).into_iter().peekable() }.selector().map(Labels)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.0.iter().all(|requirement| requirement.test.holds(labels[requirement.key.as_str()].as_str()))
    }
}

impl Test {
    fn holds(&self, label: Option<&str>) -> bool {
        let number = || label.and_then(|label| label.parse::<i64>().ok());
        match self {
            Test::Exists => label.is_some(),
            Test::Absent => label.is_none(),
            Test::In(values) => label.is_some_and(|label| values.iter().any(|value| value == label)),
            Test::NotIn(values) => label.is_none_or(|label| values.iter().all(|value| value != label)),
            Test::Greater(bound) => number().is_some_and(|number| number > *bound),
            Test::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let length = match SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            Some(symbol) => {
                tokens.push(Token::Symbol(symbol));
                symbol.len()
            }
            None => {
                let end = rest.find(|c: char| c.is_whitespace() || "=!(),><".contains(c)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..end].to_owned()));
                end
            }
        };
        rest = rest[length..].trim_start();
    }
    tokens
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
}

impl Parser {
    fn selector(mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.tokens.peek() {
                None => return Ok(requirements),
                Some(Token::Word(_) | Token::Symbol("!")) => {
                    let requirement = self.requirement();
                    requirements.push(requirement.map_err(|error| format!("unable to parse requirement: {error}"))?);
                }
                Some(other) => {
                    return Err(format!("found '{}', expected: !, identifier, or 'end of string'", other.text()));
                }
            }
            self.separator()?;
        }
    }

    /// Reads a comma that is not the last token, or the end.
    fn separator(&mut self) -> Result<(), String> {
        match self.tokens.next() {
            None => Ok(()),
            Some(Token::Symbol(",")) => match self.tokens.peek() {
                Some(Token::Word(_) | Token::Symbol("!")) => Ok(()),
                other => Err(format!("found '{}', expected: identifier after ','", text(other))),
            },
            Some(other) => Err(format!("found '{}', expected: ',' or 'end of string'", other.text())),
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let absent = self.tokens.next_if_eq(&Token::Symbol("!")).is_some();
        let key = match self.tokens.next() {
            Some(Token::Word(key)) => key,
            other => return Err(format!("found '{}', expected: identifier", text(other.as_ref()))),
        };
        if let Some(complaint) = names::qualified(&key).into_iter().next() {
            return Err(format!("<nil>: Invalid value: \"{key}\": {complaint}"));
        }
        let test = match (absent, self.tokens.peek()) {
            (true, _) => Test::Absent,
            (false, None | Some(Token::Symbol(","))) => Test::Exists,
            (false, Some(_)) => self.test()?,
        };
        Ok(Requirement { key, test })
    }

    fn test(&mut self) -> Result<Test, String> {
        let operator = self.tokens.next();
        match operator.as_ref().map(Token::text) {
            Some("=" | "==") => Ok(Test::In(checked(vec![self.exact()?])?)),
            Some("!=") => Ok(Test::NotIn(checked(vec![self.exact()?])?)),
            Some("in") => Ok(Test::In(checked(self.values()?)?)),
            Some("notin") => Ok(Test::NotIn(checked(self.values()?)?)),
            Some(">") => Ok(Test::Greater(number(self.exact()?)?)),
            Some("<") => Ok(Test::Less(number(self.exact()?)?)),
            other => Err(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", other.unwrap_or_default())),
        }
    }

    fn exact(&mut self) -> Result<String, String> {
        match self.tokens.peek() {
            None | Some(Token::Symbol(",")) => Ok(String::new()),
            _ => match self.tokens.next() {
                Some(Token::Word(value)) => Ok(value),
                other => Err(format!("found '{}', expected: identifier", text(other.as_ref()))),
            },
        }
    }

    /// Reads `(a, b)`; missing items are empty strings.
    fn values(&mut self) -> Result<Vec<String>, String> {
        if self.tokens.next_if_eq(&Token::Symbol("(")).is_none() {
            return Err(format!("found '{}' expected: '('", text(self.tokens.peek())));
        }
        let mut values = Vec::new();
        loop {
            match self.tokens.peek() {
                Some(Token::Word(_)) => values.extend(self.tokens.next().map(|token| token.text().to_owned())),
                Some(Token::Symbol("," | ")")) => values.push(String::new()),
                other => return Err(format!("found '{}', expected: ',', ')' or identifier", text(other))),
            }
            match self.tokens.next() {
                Some(Token::Symbol(",")) => {}
                Some(Token::Symbol(")")) => return Ok(values),
                other => return Err(format!("found '{}', expected: ',' or ')'", text(other.as_ref()))),
            }
        }
    }
}

fn text(token: Option<&Token>) -> &str {
    token.map(Token::text).unwrap_or_default()
}

fn checked(values: Vec<String>) -> Result<Vec<String>, String> {
    for (index, value) in values.iter().enumerate() {
        if let Some(complaint) = names::label_value(value).into_iter().next() {
            return Err(format!("values[{index}]: Invalid value: \"{value}\": {complaint}"));
        }
    }
    Ok(values)
}

/// Parses a number that is a valid label value, so without a sign.
fn number(value: String) -> Result<i64, String> {
    let why = "for 'Gt', 'Lt' operators, the value must be an integer";
    let number = value.parse::<i64>().map_err(|_| format!("values[0]: Invalid value: \"{value}\": {why}"))?;
    checked(vec![value])?;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(selector: &str, labels: &Value) -> bool {
        Labels::parse(selector).unwrap().matches(&json!({"metadata": {"labels": labels}}))
    }

    #[test]
    fn each_operator_selects_matching_labels() {
        assert!(matches("x=1,y in (a,b),!z", &json!({"x": "1", "y": "b"})));
        assert!(!matches("x!=1", &json!({"x": "1"})));
        assert!(matches("x!=1", &json!({})));
        assert!(matches("n>4", &json!({"n": "5"})));
        assert!(!matches("n<4", &json!({"n": "5"})));
        assert!(matches("x in ()", &json!({"x": ""})));
        assert!(matches("", &Value::Null));
    }

    #[test]
    fn selector_errors_have_the_upstream_wording() {
        let refusal = |text| Labels::parse(text).unwrap_err();
        assert_eq!(refusal("x in (1"), "unable to parse requirement: found '', expected: ',' or ')'");
        assert_eq!(refusal("x=a b"), "found 'b', expected: ',' or 'end of string'");
        assert_eq!(refusal("a=,,"), "found ',', expected: identifier after ','");
        assert_eq!(refusal("!"), "unable to parse requirement: found '', expected: identifier");
        assert_eq!(refusal("x y"), "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt");
    }
}
