//! Acronyms, raw identifiers, lifetimes, attributes, and items within a function.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};

use super::northstar::{GitRepository, RepoError};

#[derive(ConditionSet, Clone, Copy, Debug, PartialEq)]
pub enum HTTPCondition {
    #[condition(positive)]
    HTTPServing,
    #[condition(negative)]
    r#Broken,
}

/// A step named like a keyword.
#[sub_reconciler(
    sets(http_condition::HTTPServing, http_condition::Broken),
    polls(ConfigMap),
    watches(Secret, labels = "a=b")
)]
#[cfg(not(any()))]
#[allow(clippy::needless_lifetimes, reason = "lifetimes are allowed")]
#[inline]
pub async fn r#match<'a>(r#type: &'a GitRepository, cx: &mut Cx<'_, r#match>) -> Result<&'a str, RepoError> {
    let _ = (cx.get::<ConfigMap>("x").await, cx.get::<Secret>("y").await, cx.condition(http_condition::Broken));
    Ok(&r#type.spec.url)
}

#[reconciler(conditions = HTTPCondition)]
pub async fn r#loop(r#type: &GitRepository, r#fn: &mut Pass<'_>) -> PassResult {
    let _let = r#match(r#type, r#fn).await?;
    Ok(())
}

#[test]
fn wire_names_have_no_raw_prefix() {
    use evenkeel::{ConditionSet, Reconciler};
    assert_eq!(<r#loop as Reconciler>::WIRING.name, "loop");
    assert_eq!(<r#loop as Reconciler>::WIRING.steps[0].name, "match");
    assert_eq!(HTTPCondition::CONDITIONS[1].type_, "Broken");
    assert_eq!(HTTPCondition::NAME, "HTTPCondition");
}

#[test]
fn all_items_compile_inside_a_function() {
    #[derive(ConditionSet)]
    #[condition_set(mod = on)]
    enum Local {
        #[condition(positive)]
        Made,
    }
    #[sub_reconciler(sets(on::Made))]
    async fn make(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
        Ok(())
    }
    #[reconciler(conditions = Local)]
    async fn local(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        make(repo, cx).await?;
        Ok(())
    }
    assert_eq!(<local as evenkeel::Reconciler>::WIRING.steps.len(), 1);
}
