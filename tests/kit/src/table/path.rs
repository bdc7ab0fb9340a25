//! Paths of columns, in the JSONPath dialect of Kubernetes.

use serde_json::Value;

/// A path, such as `.status.conditions[?(@.type=="Ready")].status`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// A member of an object.
    Field(String),
    /// All members or items.
    Every,
    /// The value and all its descendants.
    Below,
    /// A range of items; negative indices count from the end.
    Slice(Option<i64>, Option<i64>),
    /// An item; -1 is the last one.
    Index(i64),
    /// Items for which a comparison is true.
    Filter(Vec<Step>, Option<(Operator, Value)>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The order is longest first, since `<=` begins with `<`.
const OPERATORS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

impl Path {
    /// Parses a path; `None` if it is invalid.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        steps(text.trim().trim_start_matches('{').trim_end_matches('}').trim_start_matches('$')).map(Path)
    }

    /// All values at the path, in order.
    pub(crate) fn find<'a>(&self, object: &'a Value) -> Vec<&'a Value> {
        follow(&self.0, object)
    }
}

fn steps(mut rest: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("..") {
            steps.push(Step::Below);
            rest = after;
            if !rest.starts_with(['[', '*']) {
                let (step, after) = field(rest)?;
                steps.push(step);
                rest = after;
            }
        } else if let Some(after) = rest.strip_prefix('[') {
            let end = closing(after)?;
            steps.push(bracket(after[..end].trim())?);
            rest = &after[end + 1..];
        } else {
            let (step, after) = field(rest.strip_prefix('.').unwrap_or(rest))?;
            steps.push(step);
            rest = after;
        }
    }
    Some(steps)
}

/// A name up to the next dot or bracket; a backslash escapes the next character.
fn field(text: &str) -> Option<(Step, &str)> {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '.' | '[' => return (!name.is_empty()).then(|| (named(name), &text[at..])),
            '\\' => name.push(letters.next()?.1),
            letter => name.push(letter),
        }
    }
    (!name.is_empty()).then(|| (named(name), ""))
}

fn named(name: String) -> Step {
    if name == "*" { Step::Every } else { Step::Field(name) }
}

/// The position of the closing bracket; quoted strings and nested brackets are skipped.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0, None);
    for (at, letter) in text.char_indices() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(letter),
            ('[', None) => depth += 1,
            (']', None) if depth == 0 => return Some(at),
            (']', None) => depth -= 1,
            _ => {}
        }
    }
    None
}

fn bracket(inside: &str) -> Option<Step> {
    if inside == "*" {
        return Some(Step::Every);
    }
    if let Some(name) = unquoted(inside) {
        return Some(Step::Field(name.replace('\\', "")));
    }
    if let Some(condition) = inside.strip_prefix("?(").and_then(|rest| rest.strip_suffix(')')) {
        return filter(condition.trim());
    }
    let Some((start, end)) = inside.split_once(':') else { return inside.parse().ok().map(Step::Index) };
    let place = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
    Some(Step::Slice(place(start)?, place(end)?))
}

fn filter(condition: &str) -> Option<Step> {
    let found = OPERATORS.iter().filter_map(|(sign, operator)| Some((condition.find(sign)?, *sign, *operator)));
    // The first operator counts; others may be inside the compared string.
    match found.min_by_key(|(at, sign, _)| (*at, std::cmp::Reverse(sign.len()))) {
        None => Some(Step::Filter(steps(condition.strip_prefix('@')?)?, None)),
        Some((at, sign, operator)) => {
            let left = steps(condition[..at].trim().strip_prefix('@')?)?;
            let right = condition[at + sign.len()..].trim();
            let right = match unquoted(right) {
                Some(text) => Value::from(text),
                None => serde_json::from_str(right).ok()?,
            };
            Some(Step::Filter(left, Some((operator, right))))
        }
    }
}

fn unquoted(text: &str) -> Option<&str> {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\''))
}

fn follow<'a>(steps: &[Step], value: &'a Value) -> Vec<&'a Value> {
    let Some((first, rest)) = steps.split_first() else { return vec![value] };
    let found: Vec<&Value> = match first {
        Step::Field(name) => value.get(name).into_iter().collect(),
        Step::Every => children(value),
        Step::Below => below(value),
        Step::Index(at) => value.as_array().and_then(|items| items.get(place(*at, items.len())?)).into_iter().collect(),
        Step::Slice(start, end) => slice(value, *start, *end),
        Step::Filter(left, test) => {
            children(value).into_iter().filter(|item| passes(left, test.as_ref(), item)).collect()
        }
    };
    found.into_iter().flat_map(|value| follow(rest, value)).collect()
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

fn below(value: &Value) -> Vec<&Value> {
    let mut all = vec![value];
    all.extend(children(value).into_iter().flat_map(below));
    all
}

fn place(at: i64, length: usize) -> Option<usize> {
    if at < 0 { length.checked_sub(usize::try_from(at.unsigned_abs()).ok()?) } else { usize::try_from(at).ok() }
}

fn slice(value: &Value, start: Option<i64>, end: Option<i64>) -> Vec<&Value> {
    let Some(items) = value.as_array() else { return Vec::new() };
    let start = start.map_or(Some(0), |at| place(at, items.len())).unwrap_or_default();
    let end = end.map_or(Some(items.len()), |at| place(at, items.len())).unwrap_or_default().min(items.len());
    items.get(start..end).map(|items| items.iter().collect()).unwrap_or_default()
}

fn passes(left: &[Step], test: Option<&(Operator, Value)>, item: &Value) -> bool {
    let found = follow(left, item);
    let Some((operator, right)) = test else { return !found.is_empty() };
    found.first().is_some_and(|left| operator.holds(left, right))
}

impl Operator {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
            (Value::Number(left), Value::Number(right)) => left.as_f64().partial_cmp(&right.as_f64()),
            _ => None,
        };
        match self {
            Operator::Equal => left == right || order.is_some_and(std::cmp::Ordering::is_eq),
            Operator::Unequal => left != right && !order.is_some_and(std::cmp::Ordering::is_eq),
            Operator::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            Operator::LessOrEqual => order.is_some_and(std::cmp::Ordering::is_le),
            Operator::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
            Operator::GreaterOrEqual => order.is_some_and(std::cmp::Ordering::is_ge),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object() -> Value {
        json!({
            "metadata": {"labels": {"app.ex.dev/name": "shop"}},
            "spec": {"size": 3, "hosts": ["a", "b", "c"]},
            "status": {"conditions": [
                {"type": "Ready", "status": "True", "seen": 2},
                {"type": "Synced", "status": "False", "seen": 5},
            ]},
        })
    }

    #[test]
    fn paths_find_the_expected_values() {
        let cases: [(&str, Vec<Value>); 14] = [
            (".spec.size", vec![json!(3)]),
            ("{.spec.size}", vec![json!(3)]),
            (".spec.hosts[0]", vec![json!("a")]),
            (".spec.hosts[-1]", vec![json!("c")]),
            (".spec.hosts[3]", vec![]),
            (".spec.hosts[1:]", vec![json!("b"), json!("c")]),
            (".spec.hosts[*]", vec![json!("a"), json!("b"), json!("c")]),
            (r".metadata.labels.app\.ex\.dev/name", vec![json!("shop")]),
            (".metadata.labels['app.ex.dev/name']", vec![json!("shop")]),
            (r#".status.conditions[?(@.type=="Ready")].status"#, vec![json!("True")]),
            (".status.conditions[?(@.type != 'Ready')].status", vec![json!("False")]),
            (".status.conditions[?(@.seen>=3)].type", vec![json!("Synced")]),
            ("..seen", vec![json!(2), json!(5)]),
            (".spec.absent.deeper", vec![]),
        ];
        for (path, expected) in cases {
            let found: Vec<Value> = Path::parse(path).unwrap().find(&object()).into_iter().cloned().collect();
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn invalid_paths_are_rejected() {
        for path in [".a[", ".a[?(b)]", ".a[x]", ".a..", ".."] {
            assert_eq!(Path::parse(path), None, "{path}");
        }
    }
}
