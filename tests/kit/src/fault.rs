//! Faults: rules by which requests fail, wait, or lose their watch.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::failure::{About, Failure};
use crate::log::Entry;
use crate::registry::Verb;

/// What a fault does to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// 409 Conflict: the object was modified.
    Conflict,
    /// 410 Expired. On a watch it comes as real servers send it: an ERROR event under 200, and the end.
    Expired,
    /// 429 with a Retry-After of so many seconds.
    TooManyRequests(u64),
    /// 500 InternalError.
    Internal,
    /// 503 ServiceUnavailable.
    Unavailable,
    /// 403 Forbidden, as without the right RBAC.
    Forbidden,
    /// 504 Timeout: the server gave up; what became of the request is not known.
    Timeout,
    /// 404 in plain text: `404 page not found`, as of a server that does not serve the path, or does not serve it yet.
    PageNotFound,
    /// 404 of the kind: a Status with the reason `NotFound` that names no object.
    KindNotFound,
    /// 404 with the name of the object, though it is there: how a custom kind without this subresource answers.
    SubresourceNotFound,
    /// 503 with a Retry-After of five seconds: the server is starting and has not installed all paths yet.
    Starting,
    /// Any other code, with the reason that Kubernetes gives it, such as 401, 413 or 422.
    Status(u16),
    /// The answer comes after this time.
    Latency(Duration),
    /// No answer ever comes.
    Hang,
    /// The request is carried out, and then answered with 500: the writer cannot know.
    LostAnswer,
    /// The watch starts and ends after this time.
    DropWatch(Duration),
}

/// A rule: which requests, and what becomes of them.
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
    /// A fault that strikes the next request of any sort, once.
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

    /// Only requests with this verb.
    #[must_use]
    pub fn verb(mut self, verb: Verb) -> Self {
        self.verb = Some(verb);
        self
    }

    /// Only requests about this plural, such as "configmaps".
    #[must_use]
    pub fn resource(mut self, plural: &str) -> Self {
        self.resource = Some(plural.to_owned());
        self
    }

    /// Only requests in this API group; "" for the core group.
    #[must_use]
    pub fn group(mut self, group: &str) -> Self {
        self.group = Some(group.to_owned());
        self
    }

    /// Only requests of this caller: its field manager, or the first word of its User-Agent (see [`Entry::caller`]).
    #[must_use]
    pub fn caller(mut self, name: &str) -> Self {
        self.caller = Some(name.to_owned());
        self
    }

    /// Only requests in this namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Only requests about the object of this name.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Only requests about this subresource, such as "status"; "" for the object itself.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(subresource.to_owned());
        self
    }

    /// Only from the nth matching request on, counted from 1.
    #[must_use]
    pub fn nth(mut self, nth: usize) -> Self {
        self.skip = nth.saturating_sub(1);
        self
    }

    /// Every nth matching request, for as long as the rule stands: the nth, the 2nth and so on.
    #[must_use]
    pub fn every(mut self, nth: usize) -> Self {
        self.every = nth.max(1);
        self.nth(nth).always()
    }

    /// So many times instead of once.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// Every time.
    #[must_use]
    pub fn always(self) -> Self {
        self.times(usize::MAX)
    }

    fn matches(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| wanted == found);
        self.verb.is_none_or(|verb| verb == entry.verb)
            && is(&self.group, &entry.group)
            && is(&self.resource, &entry.resource)
            && self.caller.as_ref().is_none_or(|name| name == entry.caller() || *name == entry.agent())
            && is(&self.namespace, entry.namespace.as_deref().unwrap_or_default())
            && is(&self.name, entry.name.as_deref().unwrap_or_default())
            && is(&self.subresource, entry.subresource.as_deref().unwrap_or_default())
    }
}

/// The fault rules of a cluster; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    rules: Arc<Mutex<Vec<Fault>>>,
}

impl Faults {
    /// Adds a rule; of several that match a request, the oldest strikes.
    pub fn add(&self, fault: Fault) {
        self.lock().push(fault);
    }

    /// Takes all rules away.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// How many rules have not yet struck as often as they may.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.lock().iter().filter(|fault| fault.times > 0).count()
    }

    /// What strikes this request.
    pub(crate) fn strike(&self, entry: &Entry) -> Option<Effect> {
        let mut rules = self.lock();
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

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Fault>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Effect {
    /// The answer, when the effect is one.
    pub(crate) fn failure(&self, entry: &Entry) -> Option<Failure> {
        let name = entry.name.as_deref().unwrap_or_default();
        let failure = match self {
            Effect::Conflict => Failure::status(
                409,
                "Conflict",
                format!("Operation cannot be fulfilled on {} \"{name}\": the object has been modified", entry.resource),
            ),
            Effect::Expired => Failure::expired("too old resource version: injected by a fault rule"),
            Effect::TooManyRequests(seconds) => {
                let failure = Failure::status(429, "TooManyRequests", "too many requests: injected by a fault rule");
                let details = serde_json::json!({"retryAfterSeconds": seconds});
                Failure { retry_after: Some(*seconds), ..failure.with_details(details) }
            }
            Effect::Internal | Effect::LostAnswer => {
                Failure::status(500, "InternalError", "internal error: injected by a fault rule")
            }
            Effect::Unavailable => {
                Failure::status(503, "ServiceUnavailable", "service unavailable: injected by a fault rule")
            }
            Effect::Timeout => {
                let failure = Failure::status(504, "Timeout", "request did not complete: injected by a fault rule");
                failure.with_details(serde_json::json!({"retryAfterSeconds": 1}))
            }
            Effect::PageNotFound => Failure::unserved(),
            Effect::KindNotFound => Failure::unknown_resource(),
            Effect::SubresourceNotFound => {
                Failure::not_found(About { group: &entry.group, kind: &entry.resource, name })
            }
            Effect::Starting => starting(),
            Effect::Status(code) => Failure::status(*code, reason(*code), format!("{code}: injected by a fault rule")),
            Effect::Forbidden => {
                let message = format!("{} \"{name}\" is forbidden: injected by a fault rule", entry.resource);
                Failure::status(403, "Forbidden", message)
            }
            Effect::Latency(_) | Effect::Hang | Effect::DropWatch(_) => return None,
        };
        Some(failure)
    }
}

/// What a server answers while the paths of its custom resources are not all there.
fn starting() -> Failure {
    const SECONDS: u64 = 5;
    let message = "the request has been made before all known HTTP paths have been installed, please retry";
    let failure = Failure::status(503, "ServiceUnavailable", message);
    let details = serde_json::json!({"retryAfterSeconds": SECONDS});
    Failure { retry_after: Some(SECONDS), ..failure.with_details(details) }
}

/// The reason that comes with a code.
fn reason(code: u16) -> &'static str {
    match code {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        409 => "Conflict",
        410 => "Expired",
        413 => "RequestEntityTooLarge",
        415 => "UnsupportedMediaType",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "",
    }
}
