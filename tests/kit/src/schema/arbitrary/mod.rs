//! Random values of a schema.

mod pattern;
mod scalar;

use std::collections::BTreeSet;

use fastrand::Rng;
use serde_json::{Map, Value};

use super::structural::{Kind, ListType, Range, Rest, Rules, Structural};

/// The most items of a random list or map whose schema has no limits.
const ITEMS: u64 = 3;

/// Draws values of schemas. They have the types and limits of the schema, but not always those of `oneOf` and `not`.
pub(crate) struct Arbitrary {
    random: Rng,
    /// Values that matter to the reader of the objects, such as the literals of a rule.
    hints: Hints,
}

/// Values that are drawn more often than others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    pub(crate) texts: Vec<String>,
    pub(crate) integers: Vec<i64>,
    pub(crate) floats: Vec<f64>,
    /// The letters and digits of property names, in lower case: these properties vary more often.
    pub(crate) properties: Vec<String>,
}

impl Arbitrary {
    pub(crate) fn new(seed: u64, hints: Hints) -> Self {
        Self { random: Rng::with_seed(seed), hints }
    }

    /// A value of the schema.
    pub(crate) fn value(&mut self, s: &Structural) -> Value {
        if s.nullable && self.one_in(6) {
            return Value::Null;
        }
        if let (None, Some(empty), true) = (&s.rules.choice, empty(s.kind), self.one_in(8)) {
            return empty;
        }
        if let Some(choice) = &s.rules.choice {
            return self.random.choice(choice).cloned().unwrap_or_default();
        }
        match s.kind {
            Kind::Object => self.object(s),
            Kind::Array => self.array(s),
            Kind::Text => Value::String(self.text(&s.rules)),
            Kind::Integer => self.integer(&s.rules),
            Kind::Number => self.number(&s.rules),
            Kind::Boolean => Value::Bool(self.random.bool()),
            Kind::IntOrString if self.random.bool() => self.integer(&s.rules),
            Kind::IntOrString => Value::String(self.text(&s.rules)),
            Kind::Any => Value::Object(Map::new()),
        }
    }

    /// The value with one part drawn anew.
    pub(crate) fn varied(&mut self, value: &Value, s: &Structural) -> Value {
        match value {
            Value::Object(map) if !map.is_empty() && !self.one_in(6) => {
                let names: BTreeSet<&String> = map.keys().chain(s.properties.keys()).collect();
                let names: Vec<&String> = names.into_iter().filter(|name| s.member(name).is_some()).collect();
                let Some(name) = self.property(names) else { return value.clone() };
                let mut map = map.clone();
                self.vary_member(&mut map, name, s);
                Value::Object(map)
            }
            Value::Array(items) if !items.is_empty() && self.random.bool() => {
                let Some(schema) = &s.items else { return value.clone() };
                let mut items = items.clone();
                let at = self.random.usize(..items.len());
                items[at] = self.varied(&items[at], schema);
                Value::Array(distinct(items, &s.list))
            }
            _ => self.value(s),
        }
    }

    /// One of the names, in most cases one of those that matter.
    fn property<'n>(&mut self, names: Vec<&'n String>) -> Option<&'n String> {
        let those: Vec<&String> = names.iter().filter(|name| self.matters(name)).copied().collect();
        let names = if those.is_empty() || self.one_in(4) { names } else { those };
        self.random.choice(names)
    }

    fn matters(&self, property: &str) -> bool {
        self.hints.properties.contains(&letters(property))
    }

    fn vary_member(&mut self, map: &mut Map<String, Value>, name: &str, s: &Structural) {
        let Some(schema) = s.member(name) else { return };
        let is_required = s.rules.required.iter().any(|required| required == name);
        match map.get(name) {
            Some(_) if !is_required && self.one_in(4) => {
                map.remove(name);
            }
            Some(old) => {
                let varied = self.varied(old, schema);
                map.insert(name.to_owned(), varied);
            }
            None => {
                let value = self.value(schema);
                map.insert(name.to_owned(), value);
            }
        }
    }

    fn object(&mut self, s: &Structural) -> Value {
        let (wanted, unwanted) = self.branch(&s.rules);
        let mut map = Map::new();
        for (name, property) in &s.properties {
            let is_required = s.rules.required.contains(name) || wanted.contains(name);
            let absent = if self.matters(name) { 6 } else { 3 };
            if is_required || !unwanted.contains(name) && !self.one_in(absent) {
                map.insert(name.clone(), self.value(property));
            }
        }
        if let Rest::Each(each) = &s.rest {
            for _ in 0..self.count(s.rules.size) {
                let key = self.word();
                map.insert(key, self.value(each));
            }
        }
        Value::Object(map)
    }

    /// The properties that one branch of `oneOf` requires, and those that only the others require: the variants of an enum with data.
    fn branch(&mut self, rules: &Rules) -> (BTreeSet<String>, BTreeSet<String>) {
        let required = |at: usize| rules.one[at].rules.required.iter().cloned().collect::<BTreeSet<String>>();
        if rules.one.is_empty() {
            return (BTreeSet::new(), BTreeSet::new());
        }
        let chosen = required(self.random.usize(..rules.one.len()));
        let others = (0..rules.one.len()).flat_map(required).filter(|name| !chosen.contains(name)).collect();
        (chosen, others)
    }

    fn array(&mut self, s: &Structural) -> Value {
        let Some(schema) = &s.items else { return Value::Array(Vec::new()) };
        let items = (0..self.count(s.rules.count)).map(|_| self.value(schema)).collect();
        Value::Array(distinct(items, &s.list))
    }

    fn count(&mut self, range: Range) -> u64 {
        let least = range.min.unwrap_or_default();
        let most = range.max.unwrap_or(u64::MAX).min(least.saturating_add(ITEMS));
        self.random.u64(least..=most.max(least))
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.random.u32(..n) == 0
    }
}

/// The value that is closest to an absent one.
fn empty(kind: Kind) -> Option<Value> {
    match kind {
        Kind::Array => Some(Value::Array(Vec::new())),
        Kind::Text => Some(Value::String(String::new())),
        Kind::Integer => Some(0.into()),
        Kind::Number => Some(0.0.into()),
        Kind::Boolean => Some(false.into()),
        Kind::Object | Kind::IntOrString | Kind::Any => None,
    }
}

/// The letters and digits of a name, in lower case: the same for `max_size`, `maxSize` and `max-size`.
pub(crate) fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Without the items that a set or a list with keys has only once.
fn distinct(items: Vec<Value>, list: &ListType) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        let is_same = |other: &Value| match list {
            ListType::Atomic => false,
            ListType::Set => *other == item,
            ListType::Map(keys) => keys.iter().all(|key| other.get(key) == item.get(key)),
        };
        if !kept.iter().any(is_same) {
            kept.push(item);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{fixture, validate};
    use super::*;

    #[test]
    fn most_values_are_valid_and_differ() {
        for (schema, least) in [(fixture::widget(), 750), (fixture::prune(), 100)] {
            let mut arbitrary = Arbitrary::new(1, Hints::default());
            let values: Vec<Value> = (0..1_000).map(|_| arbitrary.value(&schema)).collect();
            let valid = values.iter().filter(|value| validate(value, None, &schema).is_empty());
            let different: BTreeSet<String> = valid.map(Value::to_string).collect();
            assert!(different.len() > least, "{}", different.len());
        }
    }

    #[test]
    fn a_variant_of_one_of_is_chosen() {
        let text = || json!({"type": "string"});
        let schema = Structural::read(&json!({
            "type": "object",
            "properties": {"a": text(), "b": text(), "c": text()},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}],
        }));
        let mut arbitrary = Arbitrary::new(1, Hints::default());
        for _ in 0..100 {
            let value = arbitrary.value(&schema);
            assert!(validate(&value, None, &schema).is_empty(), "{value}");
        }
    }

    #[test]
    fn a_varied_value_differs_in_one_part() {
        let schema = fixture::widget();
        let mut arbitrary = Arbitrary::new(1, Hints::default());
        let value = json!({"spec": {"size": 3, "color": "red", "nested": {"a": "x", "c": {"d": "y"}}}});
        let mut nearly_equal = 0;
        for _ in 0..1_000 {
            let varied = arbitrary.varied(&value, &schema);
            let same =
                ["size", "color", "nested"].iter().filter(|name| varied["spec"][**name] == value["spec"][**name]);
            nearly_equal += usize::from(same.count() >= 2);
        }
        assert!(nearly_equal > 600, "{nearly_equal}");
    }

    #[test]
    fn hints_are_drawn_where_they_fit() {
        let hints =
            Hints { texts: vec!["Zebra".to_owned()], integers: vec![4_711], floats: vec![0.125], ..Hints::default() };
        let schema = Structural::read(&json!({"type": "object", "required": ["t", "i", "n"], "properties":
            {"t": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"}}}));
        let mut arbitrary = Arbitrary::new(1, hints);
        let values: Vec<Value> = (0..200).map(|_| arbitrary.value(&schema)).collect();
        for (name, wanted) in [("t", json!("Zebra")), ("i", json!(4_711)), ("n", json!(0.125))] {
            assert!(values.iter().filter(|value| value[name] == wanted).count() > 5, "{name}");
        }
    }
}
