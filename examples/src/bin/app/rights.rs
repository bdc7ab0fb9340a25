//! The roles of the app are what it needs.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_testkit::{Scene, eventually, is_ready, rights, until};
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::operator::operator;
use crate::reviews::TEAM;
use crate::site::{Site, SiteSpec};
use crate::team::{Team, TeamSpec};

const LONG: Duration = Duration::from_secs(1_200);

/// A team and a site come and go, and a namespace belongs to a team for a while.
async fn a_life(scene: Scene) {
    let (teams, sites): (Api<Team>, Api<Site>) =
        (Api::namespaced(scene.client(), "default"), Api::namespaced(scene.client(), "default"));
    let spec = TeamSpec { domain: "example.com".into(), contact: "web@example.com".into() };
    teams.create(&PostParams::default(), &Team::new("web", spec)).await.unwrap();
    until(&teams, "web", LONG, is_ready).await;
    let spec = SiteSpec { team: "web".into(), hosts: vec!["shop.example.com".into()], ..SiteSpec::default() };
    sites.create(&PostParams::default(), &Site::new("shop", spec)).await.unwrap();
    until(&sites, "shop", LONG, is_ready).await;
    let namespaces: Api<Namespace> = Api::all(scene.client());
    for team in [json!("web"), json!(null)] {
        let label = Patch::Merge(json!({ "metadata": { "labels": { TEAM: team } } }));
        namespaces.patch("default", &PatchParams::default(), &label).await.unwrap();
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    sites.delete("shop", &DeleteParams::default()).await.unwrap();
    teams.delete("web", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { teams.get_opt("web").await.unwrap().is_none().then_some(()) }).await;
}

/// An earlier version of the app has put a finalizer on a site, which is being deleted.
async fn an_upgrade(scene: Scene) {
    let sites: Api<Site> = Api::namespaced(scene.client(), "default");
    let teams: Api<Team> = Api::namespaced(scene.client(), "default");
    let spec = TeamSpec { domain: "example.com".into(), contact: "web@example.com".into() };
    teams.create(&PostParams::default(), &Team::new("web", spec)).await.unwrap();
    let spec = SiteSpec { team: "web".into(), hosts: vec!["old.example.com".into()], ..SiteSpec::default() };
    let mut site = Site::new("old", spec);
    site.metadata.finalizers = Some(vec!["app.evenkeel.dev/app".to_owned()]);
    sites.create(&PostParams::default(), &site).await.unwrap();
    sites.delete("old", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { sites.get_opt("old").await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_are_enough_and_no_more() {
    rights(|| operator(&Arc::default()))
        .scenario("a life", a_life)
        .scenario("an upgrade", an_upgrade)
        .except("get namespaces", "their watcher writes nothing, so it has no conflict")
        .except("create tokenreviews", "no user calls a route here")
        .except("create subjectaccessreviews", "no user calls a route here")
        .prove()
        .await;
}
