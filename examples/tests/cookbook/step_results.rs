//! A step uses the result of an earlier one.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::ObjectMeta;

use crate::kinds::Site;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum PublishCondition {
    /// The address of the site is known.
    #[condition(positive)]
    Resolved,
    /// The address is in the ConfigMap.
    #[condition(positive)]
    Published,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ResolveError {
    /// The site has no host. Set `spec.host`.
    #[error("spec.host is empty")]
    #[class(stalled)]
    NoHost,
}

#[sub_reconciler(sets(on::Resolved))]
pub async fn resolve(site: &Site, cx: &mut Cx) -> Result<String, ResolveError> {
    let host = Some(&site.spec.host).filter(|host| !host.is_empty()).ok_or(ResolveError::NoHost)?;
    let url = format!("https://{host}");
    cx.status().url = Some(url.clone());
    Ok(url)
}

#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(site: &Site, url: &str, cx: &mut Cx) -> Result<(), ApiError> {
    let metadata = ObjectMeta { name: Some(site.name_any()), ..ObjectMeta::default() };
    let data = Some([("url".to_owned(), url.to_owned())].into());
    cx.apply(&ConfigMap { metadata, data, ..ConfigMap::default() }).await?;
    Ok(())
}

#[reconciler(conditions = PublishCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    let url = resolve(site, cx).await?;
    publish(site, &url, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::Row;

    use super::*;
    use crate::world::shop;

    #[tokio::test(start_paused = true)]
    async fn the_second_step_writes_what_the_first_one_found() {
        Row::new("a site with a host").given(shop("{host: a.example.com}")).pass::<sites>(()).await.expect(
            "
            writes:
            - patch configmaps default/shop: {data: {url: 'https://a.example.com'}}
            - patch sites/status default/shop: {status: {url: 'https://a.example.com'}}
            events: [Normal Succeeded]
            conditions: {Ready: True Succeeded, Resolved: True Succeeded, Published: True Succeeded}
            ",
        );
    }

    /// If one step did both, `Published` could not be told from `Resolved`: it would not be Unknown here.
    #[tokio::test(start_paused = true)]
    async fn the_second_step_does_not_run_after_an_error() {
        Row::new("a site without a host").given(shop("{}")).pass::<sites>(()).await.expect(
            "
            outcome: Stalled
            writes: [patch sites/status default/shop]
            events: [Warning NoHost]
            conditions: {Ready: False NoHost, Stalled: True NoHost, Resolved: False NoHost, Published: Unknown Blocked}
            ",
        );
    }
}
