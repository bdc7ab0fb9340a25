//! Which method of a watcher a pass calls for a live object. It depends on stored facts only, and on no watch event.
//!
//! | the object | call |
//! | --- | --- |
//! | has not been added, since no try has succeeded yet | `add` |
//! | has changed since it was handled | `update` |
//! | is known, and a restart, the requeue interval, a request or another object triggered the pass | `sync` |
//!
//! An object without a reason for a call has no pass. `delete` is the cleanup: of an object that is being deleted and has a finalizer of the
//! watcher, and for `plain` of an object that is gone.

/// What is known of a live object when its pass begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// It has the mark of the watcher, and an earlier call has succeeded.
    pub(crate) is_added: bool,
    /// It differs in what counts (`on(..)`) from the version that was handled last.
    pub(crate) has_changed: bool,
}

/// The method that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Add,
    Update,
    Sync,
}

impl Method {
    /// The name of the method.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Sync => "sync",
        }
    }
}

/// Chooses the method.
pub(crate) const fn decide(facts: Facts) -> Method {
    match facts {
        Facts { is_added: false, .. } => Method::Add,
        Facts { has_changed: true, .. } => Method::Update,
        Facts { has_changed: false, .. } => Method::Sync,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_added_until_that_succeeds() {
        let table = [
            ((false, false), Method::Add),
            ((false, true), Method::Add),
            ((true, true), Method::Update),
            ((true, false), Method::Sync),
        ];
        for ((is_added, has_changed), method) in table {
            assert_eq!(decide(Facts { is_added, has_changed }), method);
        }
    }
}
