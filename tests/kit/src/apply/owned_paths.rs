//! The set of paths that a writer of a value owns.

use serde_json::Value;

use super::path_element::Element;
use super::set::{Node, Set};
use super::shape::{Form, Items, Naming, Shape};

/// The paths that an applier of `value` owns: leaves, items of lists, and members that the schema does not declare.
pub(crate) fn owned(value: &Value, shape: Shape<'_>) -> Set {
    let mut set = Set::default();
    match (shape.form(value), value) {
        (Form::Map, Value::Object(map)) => {
            for (name, value) in map {
                let (shape, naming) = shape.stored_member(name);
                let is_member = naming == Naming::Open || is_leaf(value, shape);
                set.attach(Element::field(name), Node { is_member, below: owned(value, shape) });
            }
        }
        (Form::List(items), Value::Array(list)) => own_items(list, items, &mut set),
        _ => {}
    }
    set
}

fn own_items(list: &[Value], items: Items<'_>, set: &mut Set) {
    for item in list {
        if let Ok(element) = items.element(item) {
            let is_repeated = set.has(&element);
            // The fields of a repeated item have no owner, since the path does not identify one of the items.
            let below = if is_repeated { Set::default() } else { owned(item, items.shape()) };
            set.attach(element, Node { is_member: true, below });
        }
    }
}

/// An empty map counts as a leaf, so that `{}` can be owned; an empty list has no path.
fn is_leaf(value: &Value, shape: Shape<'_>) -> bool {
    match shape.form(value) {
        Form::Leaf => true,
        Form::Map => value.as_object().is_some_and(serde_json::Map::is_empty),
        Form::List(_) => false,
    }
}

/// Adds every declared field with owned children to the set, so that releasing all children of a declared object releases the object.
pub(crate) fn with_declared_parents(set: &Set, shape: Shape<'_>) -> Set {
    let mut full = Set::default();
    for (element, node) in set.nodes() {
        let (inner, naming) = shape.step(element);
        let is_declared = matches!(element, Element::Field(_)) && naming == Naming::Declared;
        let is_member = node.is_member || (is_declared && !node.below.is_empty());
        full.attach(element.clone(), Node { is_member, below: with_declared_parents(&node.below, inner) });
    }
    full
}

/// Fields that only the server sets.
pub(super) fn never_owned() -> Set {
    const METADATA: [&str; 11] = [
        "clusterName",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    ];
    let step = Element::field;
    let mut set = Set::default();
    for name in ["apiVersion", "kind", "metadata"] {
        set.insert(&[step(name)]);
    }
    for name in METADATA {
        set.insert(&[step("metadata"), step(name)]);
    }
    set
}
