//! Merges an applied configuration into the live object.

use serde_json::{Map, Value};

use super::path_element::Element;
use super::shape::{Form, Items, Shape};

/// Merges `config` into `live`: maps by member, keyed lists and sets by item; all other values are replaced.
pub(crate) fn merge(live: &Value, config: &Value, shape: Shape<'_>) -> Value {
    match (shape.form(live), live, shape.form(config), config) {
        (Form::Map, Value::Object(live), Form::Map, Value::Object(config)) => merge_maps(live, config, shape).into(),
        (Form::List(items), Value::Array(live), Form::List(_), Value::Array(config)) => {
            merge_lists(live, config, items).into()
        }
        // A null does not remove a collection that other managers own too; it removes only an empty one.
        (Form::Map, Value::Object(map), _, Value::Null) if !map.is_empty() => live.clone(),
        (Form::List(_), Value::Array(list), _, Value::Null) if !list.is_empty() => live.clone(),
        _ => config.clone(),
    }
}

fn merge_maps(live: &Map<String, Value>, config: &Map<String, Value>, shape: Shape<'_>) -> Map<String, Value> {
    let mut merged = live.clone();
    for (name, value) in config {
        let value = match live.get(name) {
            Some(live) => merge(live, value, shape.stored_member(name).0),
            None => value.clone(),
        };
        merged.insert(name.clone(), value);
    }
    merged
}

/// Merges two lists. Items of `config` have the order of `config`; an item that only `live` has stays before the next shared item.
fn merge_lists(live: &[Value], config: &[Value], items: Items<'_>) -> Vec<Value> {
    let live = elements(live, items);
    let config = elements(config, items);
    let is_live = |element: &Element| live.iter().any(|(known, _)| known == element);
    let mut shared: Vec<&Element> = config.iter().map(|(element, _)| element).filter(|one| is_live(one)).collect();
    shared.reverse();
    let mut merger = Merger { live: &live, config: &config, items, taken: 0, merged: Vec::new() };
    for (element, item) in &live {
        if !config.iter().any(|(known, _)| known == element) {
            merger.merged.push((*item).clone());
        } else if shared.last() == Some(&element) {
            merger.take_through(element);
            shared.pop();
        }
    }
    merger.take_rest();
    merger.merged
}

type Located<'v> = (Element, &'v Value);

fn elements<'v>(list: &'v [Value], items: Items<'_>) -> Vec<Located<'v>> {
    list.iter().filter_map(|item| Some((items.element(item).ok()?, item))).collect()
}

/// Merges the items of the configuration in order, each with its live counterpart.
struct Merger<'m, 'v> {
    live: &'m [Located<'v>],
    config: &'m [Located<'v>],
    items: Items<'m>,
    taken: usize,
    merged: Vec<Value>,
}

impl Merger<'_, '_> {
    fn take_through(&mut self, last: &Element) {
        while let Some((element, _)) = self.config.get(self.taken) {
            let is_last = element == last;
            self.take();
            if is_last {
                return;
            }
        }
    }

    fn take_rest(&mut self) {
        while self.taken < self.config.len() {
            self.take();
        }
    }

    fn take(&mut self) {
        let (element, item) = &self.config[self.taken];
        let mut counterparts = self.live.iter().filter(|(known, _)| known == element).map(|(_, item)| *item);
        self.merged.push(match (counterparts.next(), counterparts.next()) {
            (Some(live), None) => merge(live, item, self.items.shape()),
            // There is no counterpart, or there are several and none of them can be chosen.
            _ => (*item).clone(),
        });
        self.taken += 1;
    }
}
