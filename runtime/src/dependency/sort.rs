//! Topological order of dependencies: depth first, in the order of the input.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::Reference;

/// A dependency cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cycle {
    /// The objects of the cycle. The last one is the same as the first.
    pub path: Vec<Reference>,
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Vec<String> = self.path.iter().map(ToString::to_string).collect();
        f.write_str(&path.join(" -> "))
    }
}

impl std::error::Error for Cycle {}

/// Sorts objects topologically, so that each follows its dependencies.
///
/// A reference without a namespace refers to the namespace of its referrer. Referenced objects that are missing from
/// `objects` are inserted where they are first encountered.
///
/// # Errors
/// [`Cycle`], with its path.
///
/// ```
/// use evenkeel::dependency::{Reference, sort};
/// let of = |name| Reference::new(Some("default"), name);
/// let sorted = sort(&[(of("frontend"), vec![of("backend")]), (of("backend"), vec![])])?;
/// assert_eq!(sorted, [of("backend"), of("frontend")]);
/// # Ok::<(), evenkeel::dependency::Cycle>(())
/// ```
pub fn sort(objects: &[(Reference, Vec<Reference>)]) -> Result<Vec<Reference>, Cycle> {
    let known: HashMap<&Reference, &Vec<Reference>> = objects.iter().map(|(id, on)| (id, on)).collect();
    let mut walk = Walk::default();
    for (id, _) in objects {
        walk.visit(id, |id| known.get(id).map(|on| (*on).clone()).unwrap_or_default())?;
    }
    Ok(walk.order)
}

/// A traversal of references. It uses an explicit stack, so a long chain does not cause deep recursion.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// The visited objects, each after its dependencies.
    order: Vec<Reference>,
    met: HashSet<Reference>,
    path: Vec<(Reference, std::vec::IntoIter<Reference>)>,
}

impl Walk {
    /// Traverses the dependencies of one object.
    pub(crate) fn visit(&mut self, start: &Reference, of: impl Fn(&Reference) -> Vec<Reference>) -> Result<(), Cycle> {
        self.enter(start.clone(), &of);
        while let Some((id, on)) = self.path.last_mut() {
            match on.next() {
                Some(next) => {
                    let next = next.within(id.namespace.as_deref());
                    if let Some(cycle) = self.ring(&next) {
                        return Err(cycle);
                    }
                    self.enter(next, &of);
                }
                None => self.order.extend(self.path.pop().map(|(id, _)| id)),
            }
        }
        Ok(())
    }

    fn enter(&mut self, id: Reference, of: &impl Fn(&Reference) -> Vec<Reference>) {
        if self.met.insert(id.clone()) {
            let on = of(&id).into_iter();
            self.path.push((id, on));
        }
    }

    fn ring(&self, next: &Reference) -> Option<Cycle> {
        let at = self.met.contains(next).then(|| self.path.iter().position(|(id, _)| id == next))??;
        let ring = self.path[at..].iter().map(|(id, _)| id).chain([next]);
        Some(Cycle { path: ring.cloned().collect() })
    }

    /// All visited objects, even if a cycle ended the traversal.
    pub(crate) fn met(&self) -> impl Iterator<Item = &Reference> {
        self.met.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(length: usize) -> Vec<(Reference, Vec<Reference>)> {
        let of = |i: usize| Reference::new(Some("a"), &format!("n{i}"));
        (0..length).map(|i| (of(i), vec![of(i + 1)])).collect()
    }

    #[test]
    fn a_dependency_chain_is_sorted_from_its_end() {
        let sorted = sort(&chain(20_000)).unwrap();
        assert_eq!((sorted.len(), sorted[0].name.as_str()), (20_001, "n20000"));
    }

    #[test]
    fn an_object_that_depends_on_itself_is_a_cycle() {
        let own = Reference::new(Some("a"), "n");
        let cycle = sort(&[(own, vec![Reference::new(None, "n")])]).unwrap_err();
        assert_eq!(cycle.to_string(), "a/n -> a/n");
    }
}
