//! The event that a watcher function receives.

/// What happened to an object, for a `#[watcher]` that is a function.
///
/// Each event may be repeated, and versions between two events may be skipped: the four are interchangeable in effect, except for `Deleted`.
///
/// ```
/// use evenkeel::Event;
/// use k8s_openapi::api::core::v1::Namespace;
///
/// fn log(event: &Event<'_, Namespace>) -> String {
///     format!("{} {:?}", event.action(), event.object().metadata.name)
/// }
/// # assert_eq!(log(&Event::Synced(&Namespace::default())), "RESYNC None");
/// ```
///
/// Source: the request of a reconciler in Grafana's app SDK.
#[derive(Debug)]
pub enum Event<'o, K> {
    /// A new object, or one for which no call has succeeded yet.
    Added(&'o K),
    /// The object has changed since it was handled.
    Updated {
        /// The object as it was handled last.
        old: &'o K,
        /// The object as it is.
        now: &'o K,
    },
    /// A known object, after a restart of the operator, at the requeue interval, on request, or when a related object changed.
    Synced(&'o K),
    /// The object is being deleted; for `plain`, it is gone.
    Deleted(&'o K),
}

impl<'o, K> Event<'o, K> {
    /// The object, in its newest version.
    #[must_use]
    pub const fn object(&self) -> &'o K {
        match self {
            Self::Added(object) | Self::Synced(object) | Self::Deleted(object) => object,
            Self::Updated { now, .. } => now,
        }
    }

    /// The event as a word: `CREATE`, `UPDATE`, `RESYNC` or `DELETE`.
    #[must_use]
    pub const fn action(&self) -> &'static str {
        match self {
            Self::Added(_) => "CREATE",
            Self::Updated { .. } => "UPDATE",
            Self::Synced(_) => "RESYNC",
            Self::Deleted(_) => "DELETE",
        }
    }
}

// Not derived, since a derive would require that the object can be copied.
impl<K> Clone for Event<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Event<'_, K> {}
