//! `Site`, version v1beta1: still served, and converted to v1 and back.

use evenkeel::prelude::*;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

use crate::site;

/// A web site of a team, with one host.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(group = "app.evenkeel.dev", version = "v1beta1", kind = "Site", namespaced, status = "site::SiteStatus")]
pub struct SiteSpec {
    /// The team in the same namespace.
    pub team: String,
    /// The host at which the site is served.
    pub host: String,
}

// The further hosts and the size stay in an annotation, and come back unless the host changes.
#[convert(to = site::Site, stash, deprecated = "use v1: it has several hosts")]
impl Site {
    fn up(old: SiteSpec) -> site::SiteSpec {
        site::SiteSpec { team: old.team, hosts: vec![old.host], ..site::SiteSpec::default() }
    }

    fn down(new: site::SiteSpec) -> SiteSpec {
        SiteSpec { team: new.team, host: new.hosts.into_iter().next().unwrap_or_default() }
    }
}
