//! A set of field paths, as a trie whose nodes record whether they are members themselves.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::path_element::Element;

/// A set of paths. Every node is a member or has members below it, so equal sets are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set {
    nodes: BTreeMap<Element, Node>,
}

/// A node below the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) is_member: bool,
    pub(crate) below: Set,
}

impl Node {
    fn is_empty(&self) -> bool {
        !self.is_member && self.below.is_empty()
    }
}

impl Set {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The direct child nodes, in order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (&Element, &Node)> {
        self.nodes.iter()
    }

    pub(crate) fn has(&self, element: &Element) -> bool {
        self.nodes.get(element).is_some_and(|node| node.is_member)
    }

    /// The part of the set below `element`, if any.
    pub(crate) fn below(&self, element: &Element) -> Option<&Self> {
        self.nodes.get(element).map(|node| &node.below).filter(|below| !below.is_empty())
    }

    /// Adds the contents of `node` at `element`.
    pub(crate) fn attach(&mut self, element: Element, node: Node) {
        if node.is_empty() {
            return;
        }
        match self.nodes.entry(element) {
            Entry::Vacant(place) => {
                place.insert(node);
            }
            Entry::Occupied(mut place) => {
                let present = place.get_mut();
                present.is_member |= node.is_member;
                present.below.extend(node.below);
            }
        }
    }

    pub(crate) fn insert(&mut self, path: &[Element]) {
        let Some((last, parents)) = path.split_last() else { return };
        let mut set = self;
        for element in parents {
            set = &mut set.nodes.entry(element.clone()).or_default().below;
        }
        set.nodes.entry(last.clone()).or_default().is_member = true;
    }

    pub(crate) fn extend(&mut self, other: Self) {
        for (element, node) in other.nodes {
            self.attach(element, node);
        }
    }

    #[must_use]
    pub(crate) fn union(mut self, other: &Self) -> Self {
        self.extend(other.clone());
        self
    }

    #[must_use]
    pub(crate) fn difference(&self, other: &Self) -> Self {
        let mut left = Self::default();
        for (element, node) in &self.nodes {
            left.attach(
                element.clone(),
                match other.nodes.get(element) {
                    Some(taken) => Node {
                        is_member: node.is_member && !taken.is_member,
                        below: node.below.difference(&taken.below),
                    },
                    None => node.clone(),
                },
            );
        }
        left
    }

    #[must_use]
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let mut both = Self::default();
        for (element, node) in &self.nodes {
            let Some(mate) = other.nodes.get(element) else { continue };
            both.attach(
                element.clone(),
                Node { is_member: node.is_member && mate.is_member, below: node.below.intersection(&mate.below) },
            );
        }
        both
    }

    /// All paths, each member before its children: the order in which conflicts are reported.
    pub(crate) fn paths(&self) -> Vec<Vec<Element>> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, at: &mut Vec<Element>, found: &mut Vec<Vec<Element>>) {
        for (element, _) in self.nodes.iter().filter(|(_, node)| node.is_member) {
            found.push(at.iter().chain([element]).cloned().collect());
        }
        for (element, node) in &self.nodes {
            at.push(element.clone());
            node.below.collect(at, found);
            at.pop();
        }
    }
}
