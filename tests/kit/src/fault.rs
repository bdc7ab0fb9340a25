//! Fault rules: requests that fail, are delayed, or lose their watch.

use std::sync::Arc;

use crate::effect::Effect;
use crate::lock::Mutex;
use crate::log::Entry;
use crate::registry::Verb;

/// A fault rule: the matching requests and the effect on them.
///
/// ```
/// use evenkeel_testkit::{Effect, Fault, Verb};
///
/// let second_status_write = Fault::new(Effect::Conflict).verb(Verb::Patch).subresource("status").nth(2);
/// let always_slow = Fault::new(Effect::Latency(std::time::Duration::from_secs(5))).resource("configmaps").always();
/// let every_third_of_one = Fault::new(Effect::TooManyRequests(1)).caller("backup").every(3);
/// # let _ = (second_status_write, always_slow, every_third_of_one);
/// ```
#[derive(Clone, Debug)]
pub struct Fault {
    effect: Effect,
    verb: Option<Verb>,
    group: Option<String>,
    resource: Option<String>,
    caller: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    subresource: Option<String>,
    skip: usize,
    every: usize,
    times: usize,
}

impl Fault {
    /// Creates a rule that applies once, to the next request of any type.
    #[must_use]
    pub fn new(effect: Effect) -> Self {
        Fault {
            effect,
            verb: None,
            group: None,
            resource: None,
            caller: None,
            namespace: None,
            name: None,
            subresource: None,
            skip: 0,
            every: 1,
            times: 1,
        }
    }

    /// Restricts the rule to a verb.
    #[must_use]
    pub fn verb(mut self, verb: Verb) -> Self {
        self.verb = Some(verb);
        self
    }

    /// Restricts the rule to a resource (plural), such as "configmaps".
    #[must_use]
    pub fn resource(mut self, plural: &str) -> Self {
        self.resource = Some(plural.to_owned());
        self
    }

    /// Restricts the rule to an API group; "" is the core group.
    #[must_use]
    pub fn group(mut self, group: &str) -> Self {
        self.group = Some(group.to_owned());
        self
    }

    /// Restricts the rule to a caller.
    ///
    /// A caller is a field manager, the first word of a User-Agent, or the name of a client; see [`Entry::caller`] and
    /// [`Cluster::client_of`](crate::Cluster::client_of).
    #[must_use]
    pub fn caller(mut self, name: &str) -> Self {
        self.caller = Some(name.to_owned());
        self
    }

    /// Restricts the rule to a namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Restricts the rule to objects with this name.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Restricts the rule to a subresource, such as "status"; "" is the object itself.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(subresource.to_owned());
        self
    }

    /// Starts with the nth matching request, counted from 1.
    #[must_use]
    pub fn nth(mut self, nth: usize) -> Self {
        self.skip = nth.saturating_sub(1);
        self
    }

    /// Applies the rule to every nth matching request until the rule is removed.
    #[must_use]
    pub fn every(mut self, nth: usize) -> Self {
        self.every = nth.max(1);
        self.nth(nth).always()
    }

    /// Sets how many times the rule applies; once by default.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// Applies the rule to all matching requests.
    #[must_use]
    pub fn always(self) -> Self {
        self.times(usize::MAX)
    }

    fn matches(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| wanted == found);
        self.verb.is_none_or(|verb| verb == entry.verb)
            && is(&self.group, &entry.group)
            && is(&self.resource, &entry.resource)
            && self.caller.as_ref().is_none_or(|name| [entry.caller(), entry.agent(), &entry.client].contains(&&**name))
            && is(&self.namespace, entry.namespace.as_deref().unwrap_or_default())
            && is(&self.name, entry.name.as_deref().unwrap_or_default())
            && is(&self.subresource, entry.subresource.as_deref().unwrap_or_default())
    }
}

/// The fault rules of a cluster. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    rules: Arc<Mutex<Vec<Fault>>>,
}

impl Faults {
    /// Adds a rule. If several rules match a request, the oldest one applies.
    pub fn add(&self, fault: Fault) {
        self.rules.lock().push(fault);
    }

    /// Removes all rules.
    pub fn clear(&self) {
        self.rules.lock().clear();
    }

    /// Returns the number of rules that can still apply.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.rules.lock().iter().filter(|fault| fault.times > 0).count()
    }

    /// Returns the effect of the rule that applies to this request, and counts its use.
    pub(crate) fn strike(&self, entry: &Entry) -> Option<Effect> {
        let mut rules = self.rules.lock();
        let fault = rules.iter_mut().filter(|fault| fault.times > 0 && fault.matches(entry)).find_map(|fault| {
            let due = fault.skip == 0;
            fault.skip = if due { fault.every - 1 } else { fault.skip - 1 };
            due.then_some(fault)
        })?;
        if fault.times != usize::MAX {
            fault.times -= 1;
        }
        Some(fault.effect.clone())
    }
}
