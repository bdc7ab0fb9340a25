//! Indexes over watched objects, by keys that a function computes.

use std::any::{TypeId, type_name};
use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kube::core::DynamicObject;

use crate::kind::{Kind, typed};

/// Finds objects of a kind by the keys that [`keys`](Self::keys) returns, without scanning all objects.
///
/// A step that watches the kind by label declares the index with `index = ByUser` and queries it with
/// [`Cx::indexed`](crate::Cx::indexed). Only changes to objects that are, or were, under a
/// queried key trigger a reconcile.
///
/// ```
/// use evenkeel::Index;
/// use k8s_openapi::api::core::v1::Secret;
///
/// /// Secrets by the user whose password they hold.
/// pub struct ByUser;
///
/// impl Index for ByUser {
///     const NAME: &'static str = "by-user";
///     type Object = Secret;
///
///     fn keys(secret: &Secret) -> Vec<String> {
///         secret.metadata.annotations.iter().flatten().filter(|(key, _)| *key == "example.com/user").map(|(_, user)| user.clone()).collect()
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index",
    label = "not an index",
    note = "write `impl evenkeel::Index for {Self}`, with a kind and the keys of its objects"
)]
pub trait Index: 'static {
    /// The name of the index, such as `by-user`. It must not be empty or contain `=`, and must be unique among the
    /// indexes of the kind.
    ///
    /// The name is stored in `status.observedInputs.references` of each object that queried the index. Do not change it
    /// when you rename or move the type: with another name, each of these objects is reconciled once more.
    const NAME: &'static str;

    /// The kind that is indexed.
    type Object: Kind;

    /// Returns the keys of the object: none, one or several.
    ///
    /// It is called when an object appears or changes, not when a step queries the index. If it panics, the object has
    /// no keys, and the panic is logged.
    fn keys(object: &Self::Object) -> Vec<String>;
}

/// A type-erased [`Index`].
#[derive(Clone, Copy)]
pub struct Indexer {
    name: &'static str,
    type_name: fn() -> &'static str,
    type_id: fn() -> TypeId,
    keys: fn(&DynamicObject) -> Result<Vec<String>, String>,
    /// Whether the keys are reconciled objects, from a mapping function.
    maps: bool,
}

impl fmt::Debug for Indexer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Indexer({})", self.name)
    }
}

/// A bound that requires the index to be over the watched kind.
#[diagnostic::on_unimplemented(
    message = "the index is for `{I}`, but `{Self}` is watched",
    label = "an index for another kind",
    note = "declare it where `{I}` is watched"
)]
pub trait FoundAs<I> {}
impl<K> FoundAs<K> for K {}

/// Creates a type-erased index over objects of `K`. Fails the build if its name cannot be stored.
#[must_use]
#[track_caller]
pub const fn indexer<I: Index, K: FoundAs<I::Object>>() -> Indexer {
    check_name(I::NAME);
    Indexer { name: I::NAME, type_name: type_name::<I>, type_id: TypeId::of::<I>, keys: keys::<I>, maps: false }
}

#[track_caller]
const fn check_name(name: &str) {
    assert!(
        !name.is_empty(),
        "the `NAME` of this index is empty\nhelp: write for example `const NAME: &'static str = \"by-user\";`"
    );
    let (name, mut i) = (name.as_bytes(), 0);
    while i < name.len() {
        // The first `=` in a reference separates the name from the key.
        assert!(
            name[i] != b'=',
            "the `NAME` of this index contains `=`\nhelp: write for example `const NAME: &'static str = \"by-user\";`"
        );
        i += 1;
    }
}

impl Indexer {
    /// An index whose keys are reconciled objects, from the mapping function of this type.
    pub(crate) const fn mapping<T: 'static>(
        name: &'static str,
        keys: fn(&DynamicObject) -> Result<Vec<String>, String>,
    ) -> Self {
        Self { name, type_name: type_name::<T>, type_id: TypeId::of::<T>, keys, maps: true }
    }

    /// Whether the keys are reconciled objects.
    pub(crate) const fn maps(self) -> bool {
        self.maps
    }

    /// The name of the index, as it is stored.
    pub(crate) const fn name(self) -> &'static str {
        self.name
    }

    /// The path of the type, for messages.
    #[cfg(feature = "operator")]
    pub(crate) fn type_name(self) -> &'static str {
        (self.type_name)()
    }

    /// Whether the other index has the same name but another type. A mapping has the name of its function, so equal names are the same one.
    #[cfg(feature = "operator")]
    pub(crate) fn is_namesake_of(self, other: Self) -> bool {
        !self.maps && self.name == other.name && (self.type_id)() != (other.type_id)()
    }

    /// Whether the entry belongs to this index.
    #[cfg(feature = "operator")]
    pub(crate) fn has(self, entry: &str) -> bool {
        entry.split_once('=').is_some_and(|(name, _)| name == self.name)
    }

    /// The entries of the object in this index.
    pub(crate) fn entries(self, object: &DynamicObject) -> BTreeSet<Box<str>> {
        match (self.keys)(object) {
            Ok(keys) => keys.iter().map(|key| entry(self.name, key).into()).collect(),
            Err(why) => {
                let (name, namespace) = (object.metadata.name.as_deref(), object.metadata.namespace.as_deref());
                let effect =
                    if self.maps { "the object triggers nothing" } else { "the index does not contain the object" };
                tracing::warn!(index = self.name, name, namespace, error = %why, "{effect}");
                BTreeSet::new()
            }
        }
    }
}

/// Formats an index name and a key as they occur in a target.
pub(crate) fn entry(index: &str, key: &str) -> String {
    format!("{index}={key}")
}

fn keys<I: Index>(object: &DynamicObject) -> Result<Vec<String>, String> {
    computed(object, "`keys`", I::keys)
}

/// What the author's function returns for the object. A function that panics is named in the error.
pub(crate) fn computed<K: Kind, T>(
    object: &DynamicObject,
    name: &str,
    function: impl FnOnce(&K) -> Vec<T>,
) -> Result<Vec<T>, String> {
    let object = typed::<K>(object).map_err(|error| format!("the object does not fit its type: {error}"))?;
    // The panic itself has already been logged.
    catch_unwind(AssertUnwindSafe(|| function(&object))).map_err(|_| format!("{name} panicked"))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    struct ByWord;

    impl Index for ByWord {
        const NAME: &'static str = "by-word";
        type Object = ConfigMap;

        #[allow(clippy::panic, reason = "what this tests")]
        fn keys(map: &ConfigMap) -> Vec<String> {
            let data = map.data.clone().unwrap_or_default();
            assert!(!data.contains_key("panic"), "a word that is not wanted");
            data.into_values().collect()
        }
    }

    fn entries(data: &serde_json::Value) -> Vec<String> {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": data});
        let indexer = indexer::<ByWord, ConfigMap>();
        let entries = indexer.entries(&serde_json::from_value(map).unwrap());
        entries.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_object_is_indexed_once_per_key() {
        assert_eq!(entries(&json!({"a": "x", "b": "y", "c": "x"})), ["by-word=x", "by-word=y"]);
        assert_eq!(entries(&json!({})), Vec::<String>::new());
        assert_eq!(entries(&json!({"a": 1})), Vec::<String>::new(), "not of its type");
        assert_eq!(entries(&json!({"panic": ""})), Vec::<String>::new(), "a panic is caught");
    }
}
