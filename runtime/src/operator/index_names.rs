//! Duplicate index names: two indexes of one kind with the same name would be ambiguous in the status.

use super::error::{Error, Reason, Result};
use crate::wiring::index::Indexer;
use crate::wiring::{KindInfo, Wiring};

/// Rejects duplicate names. The error names both types.
pub(super) fn check<'a>(wirings: impl IntoIterator<Item = &'a Wiring>) -> Result {
    let mut earlier: Vec<(KindInfo, Indexer)> = Vec::new();
    for (kind, index) in wirings.into_iter().flat_map(indexes) {
        if let Some((_, other)) = earlier.iter().find(|(of, other)| *of == kind && other.is_namesake_of(index)) {
            return Err(same(*other, index, &kind));
        }
        earlier.push((kind, index));
    }
    Ok(())
}

fn indexes(wiring: &Wiring) -> impl Iterator<Item = (KindInfo, Indexer)> + use<> {
    let of_kind = |(kind, index): (fn() -> KindInfo, &Indexer)| (kind(), *index);
    wiring
        .relations()
        .filter_map(|relation| Some((relation.kind?, relation.indexes)))
        .flat_map(move |(kind, indexes)| indexes.iter().map(move |index| (kind, index)).map(of_kind))
}

fn same(one: Indexer, other: Indexer, kind: &KindInfo) -> Error {
    let (types, kind, name) = ([one, other].map(Indexer::type_name), &kind.resource.kind, one.name());
    let headline = format!("the indexes {} and {} of {kind} have the same NAME, `{name}`", types[0], types[1]);
    Error::new(Reason::Setup, headline, "give one of them another `NAME`: it identifies the index in the status")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};

    use super::*;
    use crate::wiring::index::{Index, indexer};
    use crate::wiring::{How, Kind, Relation, StepWiring};

    macro_rules! index {
        ($Index:ident of $Kind:ident, $name:literal) => {
            struct $Index;
            impl Index for $Index {
                const NAME: &'static str = $name;
                type Object = $Kind;
                fn keys(_: &$Kind) -> Vec<String> {
                    Vec::new()
                }
            }
        };
    }

    index!(ByUser of Secret, "by-user");
    index!(ByOwner of Secret, "by-user");
    index!(ByTeam of Secret, "by-team");
    index!(MapsByUser of ConfigMap, "by-user");

    fn wiring<K: Kind>(indexes: &'static [Indexer]) -> Wiring {
        let relation = Relation::new(How::WatchesLabels("a=b"), Some(KindInfo::of::<K>)).indexed(indexes);
        let step = StepWiring { relations: Box::leak(Box::new([relation])), ..StepWiring::EMPTY };
        Wiring { steps: Box::leak(Box::new([step])), ..Wiring::EMPTY }
    }

    #[test]
    fn two_indexes_of_a_kind_need_distinct_names() {
        const BY_USER: Indexer = indexer::<ByUser, Secret>();
        let (one, again) = (wiring::<Secret>(&[BY_USER]), wiring::<Secret>(&[BY_USER]));
        let team = wiring::<Secret>(&[const { indexer::<ByTeam, Secret>() }]);
        let maps = wiring::<ConfigMap>(&[const { indexer::<MapsByUser, ConfigMap>() }]);
        assert_eq!(check([&one, &again, &team, &maps]), Ok(()));
        let owner = wiring::<Secret>(&[const { indexer::<ByOwner, Secret>() }]);
        let refused = check([&one, &team, &owner]).unwrap_err();
        assert_eq!(refused.reason(), Reason::Setup);
        let text = refused.to_string();
        for named in ["ByUser and ", "ByOwner of Secret have the same NAME, `by-user`\n  help: give one of them"] {
            assert!(text.contains(named), "{text}");
        }
    }
}
