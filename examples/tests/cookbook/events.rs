//! Events and a success message of one's own.

use evenkeel::EventLevel;
use evenkeel::prelude::*;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let url = format!("https://{}", site.spec.host);
    let former = cx.status().url.replace(url.clone());
    if let Some(former) = former.filter(|former| *former != url) {
        cx.event(EventLevel::Warning, "Moved", format!("moved from {former}; links to it no longer work"));
    }
    cx.ready("Online", format!("{} pages at {url}", site.spec.pages.len()));
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    serve(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::Row;

    use super::*;

    const MOVED: &str = "
        apiVersion: cookbook.evenkeel.dev/v1
        kind: Site
        metadata: {name: shop}
        spec: {host: b.example.com, pages: [index]}
        status: {url: 'https://a.example.com'}
    ";

    /// Without `cx.event` and `cx.ready`, there is only the event `Succeeded`, and Ready has the text of the condition.
    #[tokio::test(start_paused = true)]
    async fn a_moved_site_has_an_event_and_a_message() {
        Row::new("a site with another host").given(MOVED).pass::<sites>(()).await.expect(
            "
            writes: [patch sites/status default/shop]
            events:
            - 'Warning Moved: moved from https://a.example.com; links to it no longer work'
            - 'Normal Online: 1 pages at https://b.example.com'
            conditions: {Ready: 'True Online: 1 pages at https://b.example.com', Served: True Succeeded}
            ",
        );
    }
}
