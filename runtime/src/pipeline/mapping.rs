//! Mapping functions: the reconciled objects that a change of a watched object triggers.

use kube::core::DynamicObject;

use crate::api::Selection;
use crate::dependency::Reference;
use crate::kind::Kind;
use crate::wiring::Relation;
use crate::wiring::index::{Indexer, computed, entry};

/// The most objects that one watched object may trigger.
const MOST: usize = 10_000;

/// The function in `watches(K, labels = "..", map = f)`. The macro implements it.
pub trait Mapping: 'static {
    /// The path of the function, as it is stored in the status.
    const NAME: &'static str;
    /// The watched kind.
    type Object: Kind;
    /// The reconciled objects that the watched object concerns.
    fn map(object: &Self::Object) -> Vec<Reference>;
}

/// The index by which the watched objects are found that map to a reconciled object.
#[must_use]
pub const fn mapping<M: Mapping>() -> Indexer {
    Indexer::mapping::<M>(M::NAME, keys::<M>)
}

fn keys<M: Mapping>(object: &DynamicObject) -> Result<Vec<String>, String> {
    let name = format!("the mapping function `{}`", M::NAME);
    let (namespace, mapped) = (object.metadata.namespace.as_deref(), computed(object, &name, M::map)?);
    if mapped.len() > MOST {
        return Err(format!(
            "{name} returned {} objects; return at most {MOST}, or let a requeue interval cover the change",
            mapped.len()
        ));
    }
    let keys = mapped.iter().flat_map(|reference| {
        let namespace = reference.namespace.as_deref().or(namespace);
        // The kind of the reconciled object may be cluster-scoped: nothing else looks up the key without a namespace.
        [key(&reference.name, namespace), key(&reference.name, None)]
    });
    Ok(keys.collect())
}

/// The key of a reconciled object in the index.
fn key(name: &str, namespace: Option<&str>) -> String {
    format!("{}/{name}", namespace.unwrap_or_default())
}

/// The watched objects that map to this reconciled object, in all namespaces; `None`: the relation has no mapping function.
pub(crate) fn mapped_to(relation: &Relation, namespace: Option<&str>, name: &str) -> Option<Selection> {
    let (mapping, kind, selector) = (relation.mapping()?, relation.kind?(), relation.how.selector()?);
    Some(Selection::new(kind, None, selector).under(&entry(mapping.name(), &key(name, namespace))))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    struct Users;

    impl Mapping for Users {
        const NAME: &'static str = "tests::users";
        type Object = ConfigMap;

        #[allow(clippy::panic, reason = "what this tests")]
        fn map(map: &ConfigMap) -> Vec<Reference> {
            let data = map.data.clone().unwrap_or_default();
            assert!(!data.contains_key("panic"), "an object that the function does not expect");
            let count = data.get("count").and_then(|count| count.parse().ok()).unwrap_or(0);
            (0..count).map(|i| Reference::new(data.get("namespace").map(String::as_str), &format!("w{i}"))).collect()
        }
    }

    fn entries(data: &serde_json::Value) -> Vec<String> {
        let meta = json!({ "name": "m", "namespace": "a" });
        let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data });
        let entries = mapping::<Users>().entries(&serde_json::from_value(map).unwrap());
        entries.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_object_maps_to_the_keys_of_reconciled_objects() {
        assert_eq!(entries(&json!({ "count": "1" })), ["tests::users=/w0", "tests::users=a/w0"]);
        let elsewhere = json!({ "count": "1", "namespace": "b" });
        assert_eq!(entries(&elsewhere), ["tests::users=/w0", "tests::users=b/w0"]);
        assert_eq!(entries(&json!({})), Vec::<String>::new());
    }

    #[test]
    fn a_function_that_panics_or_returns_too_many_objects_triggers_nothing() {
        assert_eq!(entries(&json!({ "panic": "" })), Vec::<String>::new());
        assert_eq!(entries(&json!({ "count": "10000" })).len(), 20_000);
        assert_eq!(entries(&json!({ "count": "10001" })), Vec::<String>::new());
    }
}
