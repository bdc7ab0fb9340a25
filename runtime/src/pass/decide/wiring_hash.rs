//! The hash of the wiring: what the code itself contributes to the digest.

use std::fmt::Write as _;

use crate::dependency::Access;
use crate::trigger::hash;
use crate::wiring::triggers::Triggers;
use crate::wiring::{Adopt, Relation, Wiring};

/// The hash of the wiring: it changes when conditions, steps, relations, the classes of errors the author's hook or revision do.
///
/// So does what the operator allows, where a step may refer to other objects.
pub(in crate::pass) fn wiring(wiring: &Wiring, after: Option<&str>, access: Access) -> String {
    let mut text = format!("{} {} {:?}", wiring.name, wiring.revision, wiring.previously);
    if wiring.depends_on {
        text.push_str(" depends");
    }
    let mut relations = wiring.relations();
    if access != Access::default() && relations.any(|relation| relation.how.is_watch()) {
        let _ = write!(text, " {access:?}");
    }
    if let Some(hook) = after {
        let _ = write!(text, " after {hook}");
    }
    for condition in wiring.conditions {
        let _ = write!(text, "\n{} {:?}", condition.type_, condition.polarity);
    }
    for summary in wiring.summaries {
        let _ = write!(text, "\n{} of {:?}", summary.type_, summary.of);
    }
    if wiring.triggers != Triggers::ALL {
        let _ = write!(text, " {:?}", wiring.triggers);
    }
    if let Some(policies) = wiring.policies {
        let _ = write!(text, " {policies:?}");
    }
    if let Some(claim) = wiring.claim {
        let _ = write!(text, " claim {}", claim.step.name);
    }
    for hook in wiring.hooks {
        let _ = write!(text, " {:?} {}", hook.when, hook.step.name);
    }
    for step in wiring.all_steps() {
        let _ = write!(text, "\n{} {:?} {:?} {}", step.name, step.sets, step.clears, step.external);
        for relation in step.relations {
            let _ = write!(text, " {}", describe(relation));
        }
        for action in step.actions {
            let _ = write!(text, " on {action}");
        }
        for error in step.errors {
            let _ = write!(text, " {}={}", error.reason, error.class);
        }
    }
    if let Some(summary) = wiring.summary {
        let _ = write!(text, "\n{summary}");
    }
    let _ = write!(text, "\n{}", crate::wiring::flow::describe(&wiring.nodes()));
    hash(&text)
}

fn describe(relation: &Relation) -> String {
    let kind = relation.kind.map(|kind| kind().resource);
    let kind = kind.map_or_else(String::new, |r| format!("{}/{}", r.api_version, r.kind));
    let said = Some(relation.cache).filter(|cache| *cache != relation.how.cache());
    let cache = said.map_or_else(String::new, |cache| format!(" keeps {cache:?}"));
    let adopt = Some(relation.adopt).filter(|adopt| *adopt != Adopt::Never);
    let adopt = adopt.map_or_else(String::new, |adopt| format!(" adopts {adopt:?}"));
    format!("{:?} {kind}{cache}{adopt}", relation.how)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{ConditionInfo, Polarity};

    fn with(condition: ConditionInfo) -> String {
        let conditions: &'static [ConditionInfo] = Box::leak(Box::new([condition]));
        wiring(&Wiring { name: "things", conditions, ..Wiring::EMPTY }, None, Access::default())
    }

    #[test]
    fn a_doc_comment_is_not_part_of_the_wiring() {
        let plain = ConditionInfo::new("Stored", Polarity::Positive);
        assert_eq!(with(plain), with(plain.with_doc("It is stored. In S3.").with_message("It is stored.")));
        assert_ne!(with(plain), with(ConditionInfo::new("Stored", Polarity::Negative)));
    }

    #[test]
    fn what_the_operator_allows_counts_where_a_step_may_refer_to_other_objects() {
        use crate::wiring::{How, StepWiring};
        const WATCHING: StepWiring =
            StepWiring { relations: &[Relation::new(How::WatchesByName, None)], ..StepWiring::EMPTY };
        const OWNING: StepWiring = StepWiring { relations: &[Relation::new(How::Owns, None)], ..StepWiring::EMPTY };
        let of = |steps: &'static [StepWiring], access| wiring(&Wiring { steps, ..Wiring::EMPTY }, None, access);
        assert_eq!(of(&[OWNING], Access::ByAcl), of(&[OWNING], Access::SameNamespace));
        assert_ne!(of(&[WATCHING], Access::ByAcl), of(&[WATCHING], Access::SameNamespace));
    }

    #[test]
    fn a_relation_is_described_by_its_kind_and_by_what_differs_from_the_default() {
        use k8s_openapi::api::core::v1::Secret;

        use crate::wiring::{Cache, How, KindInfo};
        let owns = Relation::new(How::Owns, Some(KindInfo::of::<Secret>));
        assert_eq!(describe(&owns), "Owns v1/Secret");
        assert_eq!(describe(&owns.cached(Cache::None)), "Owns v1/Secret");
        assert_eq!(describe(&owns.cached(Cache::Full)), "Owns v1/Secret keeps Full");
        assert_eq!(describe(&Relation { adopt: Adopt::Always, ..owns }), "Owns v1/Secret adopts Always");
        assert_eq!(describe(&Relation::new(How::Reads, None)), "Reads ");
    }
}
