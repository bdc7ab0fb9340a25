//! A kind in two versions, with functions that review its writes.

use evenkeel::Operator;
use evenkeel::prelude::*;
use kube::ResourceExt;

/// The version that is stored.
mod v1 {
    use super::*;

    /// A page.
    #[derive(CustomResource, KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
    #[kube(group = "bytes.tests.evenkeel.dev", version = "v1", kind = "Page", namespaced, status = "PageStatus")]
    #[serde(rename_all = "camelCase")]
    pub(super) struct PageSpec {
        /// Where it is.
        pub(super) url: String,
        /// Its tags.
        #[serde(default)]
        pub(super) tags: Vec<String>,
        /// Its weight.
        pub(super) weight: Option<i32>,
    }

    #[status]
    pub(super) struct PageStatus {
        /// What was found.
        pub(super) found: Option<String>,
    }
}

/// A version that is converted.
mod v1beta1 {
    use super::*;

    /// A page.
    #[derive(CustomResource, KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
    #[kube(group = "bytes.tests.evenkeel.dev", version = "v1beta1", kind = "Page", namespaced)]
    #[kube(status = "super::v1::PageStatus")]
    pub(super) struct PageSpec {
        /// Where it is.
        pub(super) url: String,
    }
}

#[convert(to = v1::Page, stash)]
impl v1beta1::Page {
    fn up(old: v1beta1::PageSpec) -> v1::PageSpec {
        v1::PageSpec { url: old.url, ..v1::PageSpec::default() }
    }

    fn down(new: v1::PageSpec) -> v1beta1::PageSpec {
        v1beta1::PageSpec { url: new.url }
    }
}

#[validate]
fn has_url(page: &v1::Page) -> Result<(), Denial> {
    if page.spec.url.is_empty() { Err(Denial::new("the page has no url")) } else { Ok(()) }
}

#[mutate(on(create))]
fn adds_label(page: &mut v1::Page, cx: &mut Review) -> Result<(), Denial> {
    let user = cx.user().username.clone().unwrap_or_default();
    page.labels_mut().insert("made-by".into(), user);
    Ok(())
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum PageCondition {
    /// It was read.
    #[condition(positive)]
    Read,
}

#[sub_reconciler(sets(on::Read))]
async fn read(page: &v1::Page, cx: &mut Cx) -> Result<(), ApiError> {
    cx.status().found = Some(page.spec.url.clone());
    Ok(())
}

#[reconciler(conditions = PageCondition)]
async fn page(page: &v1::Page, cx: &mut Pass<'_>) -> PassResult {
    read(page, cx).await?;
    Ok(())
}

/// An operator that reads all that the functions of this module send.
pub(super) fn operator() -> Operator {
    Operator::new("reader").reconciler::<page>(()).serves::<v1beta1::Page>().admission::<(has_url, adds_label)>(())
}
