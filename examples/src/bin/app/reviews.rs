//! What may be written: a rule, which the API server checks by itself, a validation that reads another kind, and a mutation.

use evenkeel::prelude::*;
use kube::ResourceExt;

use crate::site::{Site, SiteSpec};
use crate::team::Team;

/// The label with the team of a site.
pub const TEAM: &str = "app.evenkeel.dev/team";

/// A site stays with its team, which has its certificates.
#[rule(of = Site, at = spec, field = team, message = "the team of a site cannot be changed")]
pub fn team_stays(new: &SiteSpec, old: &SiteSpec) -> bool {
    new.team == old.team
}

/// The team of a site must exist, and its hosts must be in the team's domain.
#[validate(reads(Team))]
pub async fn hosts_of_the_team(site: &Site, cx: &mut Review) -> Result<(), Denial> {
    let team = cx.get::<Team>(&site.spec.team).await?;
    if team.is_none() {
        cx.deny(field!(spec.team), format!("there is no team {:?}: create it first", site.spec.team));
    }
    if site.spec.hosts.is_empty() {
        cx.deny(field!(spec.hosts), "a site needs a host");
    }
    for (i, host) in site.spec.hosts.iter().enumerate() {
        let domain = team.as_ref().map(|team| &team.spec.domain);
        if host.contains('/') {
            cx.deny(field!(spec.hosts[i]), format!("{host} is not a host: leave out the scheme and the path"));
        } else if let Some(domain) = domain.filter(|domain| !host.ends_with(&format!(".{domain}"))) {
            cx.deny(field!(spec.hosts[i]), format!("{host} is not in the domain {domain} of the team"));
        }
    }
    Ok(())
}

/// Hosts are lower case, and a site has the label of its team.
#[mutate]
pub fn normal(site: &mut Site) -> Result<(), Denial> {
    site.spec.hosts.iter_mut().for_each(|host| host.make_ascii_lowercase());
    let team = site.spec.team.clone();
    site.labels_mut().insert(TEAM.to_owned(), team);
    Ok(())
}
