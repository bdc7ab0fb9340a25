//! A kind with two versions.

use evenkeel::prelude::*;

use crate::kinds::{self, SiteCondition, SiteStatus, on};

#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(group = "cookbook.evenkeel.dev", version = "v1beta1", kind = "Site", namespaced, status = "SiteStatus")]
pub struct SiteSpec {
    /// The domain at which the site is served.
    pub domain: String,
    /// The ConfigMap with the settings of the site.
    #[serde(default)]
    pub settings: Option<String>,
}

#[convert(to = kinds::Site, stash, deprecated = "use v1")]
impl Site {
    fn up(old: SiteSpec) -> kinds::SiteSpec {
        kinds::SiteSpec { host: old.domain, config: old.settings, ..kinds::SiteSpec::default() }
    }

    fn down(new: kinds::SiteSpec) -> SiteSpec {
        SiteSpec { domain: new.host, settings: new.config }
    }
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &kinds::Site, cx: &mut Cx) -> Result<(), ApiError> {
    cx.status().url = Some(format!("https://{}", site.spec.host));
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &kinds::Site, cx: &mut Pass<'_>) -> PassResult {
    serve(site, cx).await?;
    Ok(())
}

pub fn operator() -> Operator {
    Operator::new("cookbook").reconciler::<sites>(()).serves::<Site>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without `stash`, it fails: `v1` has fields that `v1beta1` cannot express.
    #[test]
    fn nothing_is_lost_between_the_versions() {
        evenkeel_testkit::conversion::<Site>();
    }

    /// Without `serves`, the CRD has one version.
    #[test]
    fn the_crd_serves_both_versions_and_stores_the_new_one() {
        let crd = operator().definitions().remove(0);
        let versions: Vec<_> = crd.spec.versions.iter().map(|one| (&*one.name, one.served, one.storage)).collect();
        assert_eq!(versions, [("v1", true, true), ("v1beta1", true, false)]);
    }
}
