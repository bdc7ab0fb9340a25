//! The targets of calls: an object, or a selection of objects.

use std::fmt;

#[cfg(feature = "dependents")]
use crate::dependent_rules::manifest::ObjectId;
use crate::wiring::KindInfo;

/// The object that a call reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The kind of the object.
    pub kind: KindInfo,
    /// The namespace of the object; `None` for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
}

/// The objects that a call lists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    /// The kind of the objects.
    pub kind: KindInfo,
    /// The namespace of the objects; `None` for all watched namespaces.
    pub namespace: Option<String>,
    /// The label selector; empty: all objects.
    pub selector: String,
    /// The index entry to which the selection is restricted.
    pub entry: Option<String>,
}

/// An object or a selection on which a pass depends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Watched {
    Object(Target),
    Selection(Selection),
}

impl Selection {
    /// All objects of the kind that match a selector. `namespace` is ignored for cluster-scoped kinds.
    #[must_use]
    pub fn new(kind: KindInfo, namespace: Option<String>, selector: &str) -> Self {
        Self { namespace: namespace.filter(|_| kind.namespaced), selector: selector.to_owned(), entry: None, kind }
    }

    /// Restricts the selection to the objects under an index entry.
    #[must_use]
    pub fn under(self, entry: &str) -> Self {
        Self { entry: Some(entry.to_owned()), ..self }
    }
}

#[cfg(feature = "dependents")]
impl Target {
    /// Whether it is this object, in any version.
    pub(crate) fn is(&self, id: &ObjectId) -> bool {
        let resource = &self.kind.resource;
        id.is(&resource.group, &resource.kind) && id.namespace == self.namespace && id.name == self.name
    }
}

impl Watched {
    /// Parses a reference to objects of this kind from `status.observedInputs.references`.
    pub(crate) fn parse(kind: KindInfo, reference: &str) -> Option<Self> {
        let prefix = format!("{}/{}/", kind.resource.api_version, kind.resource.kind);
        let rest = reference.strip_prefix(&prefix)?;
        let (namespace, name) = match rest.split_once('/') {
            Some((namespace, name)) if !namespace.starts_with('?') => (Some(namespace.to_owned()), name),
            _ => (None, rest),
        };
        let Some(selected) = name.strip_prefix('?') else {
            return Some(Self::Object(Target { kind, namespace, name: name.to_owned() }));
        };
        // A selector never contains a bar.
        let (selector, entry) = selected.split_once('|').map_or((selected, None), |(s, entry)| (s, Some(entry)));
        let (selector, entry) = (selector.to_owned(), entry.map(ToOwned::to_owned));
        Some(Self::Selection(Selection { kind, namespace, selector, entry }))
    }
}

fn write_place(f: &mut fmt::Formatter<'_>, kind: &KindInfo, namespace: Option<&str>) -> fmt::Result {
    write!(f, "{}/{}/", kind.resource.api_version, kind.resource.kind)?;
    namespace.map_or(Ok(()), |namespace| write!(f, "{namespace}/"))
}

impl fmt::Display for Target {
    /// Formats the target as in `status.observedInputs.references`: `v1/Secret/team-a/token`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.kind, self.namespace.as_deref())?;
        f.write_str(&self.name)
    }
}

impl fmt::Display for Selection {
    /// Formats the selection as in `status.observedInputs.references`: `v1/Secret/team-a/?app=web|by-user=a`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.kind, self.namespace.as_deref())?;
        write!(f, "?{}", self.selector)?;
        self.entry.as_ref().map_or(Ok(()), |entry| write!(f, "|{entry}"))
    }
}

impl fmt::Display for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(target) => target.fmt(f),
            Self::Selection(selection) => selection.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Namespace, Secret};

    use super::*;

    #[test]
    fn a_reference_is_parsed_as_it_is_formatted() {
        let (secret, cluster) = (KindInfo::of::<Secret>(), KindInfo::of::<Namespace>());
        let team = || Some("team-a".to_owned());
        let all = Selection::new(secret.clone(), team(), "example.com/app=web");
        let everywhere = Selection::new(secret.clone(), None, "");
        let of_cluster = Selection::new(cluster.clone(), team(), "a=b");
        assert_eq!(of_cluster.namespace, None);
        let cases = [
            (
                Watched::Object(Target { kind: secret.clone(), namespace: team(), name: "t".into() }),
                "v1/Secret/team-a/t",
            ),
            (Watched::Object(Target { kind: cluster, namespace: None, name: "n".into() }), "v1/Namespace/n"),
            (Watched::Selection(all.clone()), "v1/Secret/team-a/?example.com/app=web"),
            (Watched::Selection(all.under("by-user=a|b/c")), "v1/Secret/team-a/?example.com/app=web|by-user=a|b/c"),
            (Watched::Selection(everywhere), "v1/Secret/?"),
            (Watched::Selection(of_cluster), "v1/Namespace/?a=b"),
        ];
        for (watched, text) in cases {
            assert_eq!(watched.to_string(), text);
            let kind = match &watched {
                Watched::Object(target) => target.kind.clone(),
                Watched::Selection(selection) => selection.kind.clone(),
            };
            assert_eq!(Watched::parse(kind, text), Some(watched));
        }
        assert_eq!(Watched::parse(secret, "v1/ConfigMap/team-a/t"), None);
    }
}
