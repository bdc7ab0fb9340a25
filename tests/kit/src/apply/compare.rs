//! The difference between two versions of an object, as three sets of paths.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::path_element::Element;
use super::set::Set;
use super::shape::{Form, Items, Shape};
use crate::schema::is_equal;

/// The paths that differ between two versions of an object.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) added: Set,
    pub(crate) modified: Set,
    pub(crate) removed: Set,
}

impl Comparison {
    /// The paths whose value was added or modified.
    pub(crate) fn changed(&self) -> Set {
        self.modified.clone().union(&self.added)
    }

    /// Removes the changed and removed paths from those of an owner.
    pub(crate) fn release(&self, owned: &mut Set) {
        *owned = owned.difference(&self.changed()).difference(&self.removed);
    }
}

/// Compares `old` with `new`. A new object, map or list counts as added itself, in addition to its leaves.
pub(crate) fn compare(old: &Value, new: &Value, shape: Shape<'_>) -> Comparison {
    let mut walk = Walk::default();
    walk.both(old, new, shape);
    walk.found
}

#[derive(Default)]
struct Walk {
    path: Vec<Element>,
    found: Comparison,
}

#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}

impl Walk {
    fn at(&mut self, element: Element, visit: impl FnOnce(&mut Self)) {
        self.path.push(element);
        visit(self);
        self.path.pop();
    }

    fn both(&mut self, old: &Value, new: &Value, shape: Shape<'_>) {
        match (shape.form(old), old, shape.form(new), new) {
            (Form::Map, Value::Object(old), Form::Map, Value::Object(new)) => self.maps(old, new, shape),
            (Form::List(items), Value::Array(old), Form::List(_), Value::Array(new)) => self.lists(old, new, items),
            (Form::Leaf, _, Form::Leaf, _) => self.leaves(old, new),
            (Form::Leaf, Value::Null, _, _) if !is_hollow(new) => self.inside(new, shape, Side::New),
            (_, _, Form::Leaf, Value::Null) if !is_hollow(old) => self.inside(old, shape, Side::Old),
            _ => {
                self.found.modified.insert(&self.path);
                self.inside(old, shape, Side::Old);
                self.inside(new, shape, Side::New);
            }
        }
    }

    fn leaves(&mut self, old: &Value, new: &Value) {
        if !is_equal(old, new) {
            self.found.modified.insert(&self.path);
        }
    }

    fn maps(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, shape: Shape<'_>) {
        for (name, old) in old {
            let shape = shape.stored_member(name).0;
            self.at(Element::field(name), |walk| match new.get(name) {
                Some(new) => walk.both(old, new, shape),
                None => walk.one(old, shape, Side::Old),
            });
        }
        for (name, new) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            let shape = shape.stored_member(name).0;
            self.at(Element::field(name), |walk| walk.one(new, shape, Side::New));
        }
    }

    fn lists(&mut self, old: &[Value], new: &[Value], items: Items<'_>) {
        let old = by_element(old, items);
        let new = by_element(new, items);
        for (element, old) in &old {
            self.at(element.clone(), |walk| match new.get(element) {
                Some(new) => walk.items(old, new, items.shape()),
                None => walk.each(old, items.shape(), Side::Old),
            });
        }
        for (element, new) in new.iter().filter(|(element, _)| !old.contains_key(*element)) {
            self.at(element.clone(), |walk| walk.each(new, items.shape(), Side::New));
        }
    }

    /// Items with the same path element. If either side has several of them, they are compared as a whole.
    fn items(&mut self, old: &[&Value], new: &[&Value], shape: Shape<'_>) {
        match (old, new) {
            ([old], [new]) => self.both(old, new, shape),
            _ if old.len() == new.len() && old.iter().zip(new).all(|(a, b)| is_equal(a, b)) => {}
            _ => self.found.modified.insert(&self.path),
        }
    }

    fn each(&mut self, values: &[&Value], shape: Shape<'_>, side: Side) {
        match values {
            [value] => self.one(value, shape, side),
            _ => self.mark(side),
        }
    }

    /// A value that is present on one side only.
    fn one(&mut self, value: &Value, shape: Shape<'_>, side: Side) {
        self.inside(value, shape, side);
        self.mark(side);
    }

    fn inside(&mut self, value: &Value, shape: Shape<'_>, side: Side) {
        match (shape.form(value), value) {
            (Form::Map, Value::Object(map)) => {
                for (name, value) in map {
                    let shape = shape.stored_member(name).0;
                    self.at(Element::field(name), |walk| walk.one(value, shape, side));
                }
            }
            (Form::List(items), Value::Array(list)) => {
                for (element, values) in by_element(list, items) {
                    self.at(element, |walk| walk.each(&values, items.shape(), side));
                }
            }
            _ => {}
        }
    }

    fn mark(&mut self, side: Side) {
        let set = match side {
            Side::Old => &mut self.found.removed,
            Side::New => &mut self.found.added,
        };
        set.insert(&self.path);
    }
}

fn by_element<'v>(list: &'v [Value], items: Items<'_>) -> BTreeMap<Element, Vec<&'v Value>> {
    let mut found: BTreeMap<Element, Vec<&Value>> = BTreeMap::new();
    for item in list {
        if let Ok(element) = items.element(item) {
            found.entry(element).or_default().push(item);
        }
    }
    found
}

/// Whether the value is null, a scalar or empty, so that it contains nothing that can be added or removed separately.
fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => true,
    }
}
