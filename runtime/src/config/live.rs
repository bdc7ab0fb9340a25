//! The settings of the author, which change while the operator runs.

use std::sync::Arc;

use crate::lock::Mutex;

/// Settings of the program that the configuration file sets, and that change while the operator runs.
///
/// It is a dependency like any other. A step that takes a parameter of the type `&Live<Settings>` runs again for each object after a change of
/// the settings, spread over one minute. Clones share the value.
///
/// The initial value is in force without a file, and with a file that has no `settings`. The [guide](crate::guide::configuration) describes
/// the file.
///
/// ```
/// use evenkeel::{Live, Operator};
/// use serde::Deserialize;
///
/// #[derive(Default, Deserialize)]
/// #[serde(rename_all = "camelCase", default)]
/// struct Settings {
///     default_greeting: String,
/// }
///
/// let settings = Live::<Settings>::default();
/// let operator = Operator::new("greeter").settings(&settings);
/// assert_eq!(settings.now().default_greeting, "");
/// ```
#[derive(Debug)]
pub struct Live<T>(Arc<Mutex<Arc<T>>>);

impl<T> Live<T> {
    /// Settings with this initial value.
    pub fn new(initial: T) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(initial))))
    }

    /// The settings that are in force now.
    ///
    /// A step that needs several fields should call it once: a second call may return newer settings.
    #[must_use]
    pub fn now(&self) -> Arc<T> {
        self.0.lock().clone()
    }

    pub(super) fn set(&self, value: Arc<T>) {
        *self.0.lock() = value;
    }
}

impl<T: Default> Default for Live<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Live<T> {
    fn from(initial: T) -> Self {
        Self::new(initial)
    }
}

impl<T> Clone for Live<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
