//! What users may ask about a site at the webhook server.

use evenkeel::prelude::*;

use crate::site::Site;

/// The hosts of a site, one on each line.
#[route(get, "/hosts", of = Site)]
pub fn hosts(site: &Site) -> Reply {
    Reply::text(site.spec.hosts.join("\n"))
}
