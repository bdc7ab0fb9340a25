//! Table tests of functions that review writes.

use evenkeel::Operator;
use evenkeel::prelude::*;
use evenkeel::rules::Request;
use evenkeel_testkit::{Effect, Fault, Row, Verb};
use kube::{CustomResourceExt, ResourceExt};

use super::kinds::{Repo, RepoSpec, Team, repo};

const REPO: &str = "
apiVersion: tests.evenkeel.dev/v1
kind: Repo
metadata: {name: web}
spec: {url: 'http://Example.com', ownerTeam: a}
";
const TEAM: &str = "{apiVersion: tests.evenkeel.dev/v1, kind: Team, metadata: {name: a}, spec: {}}";

#[rule(of = Repo, at = spec, field = owner_team, message = "the team stays")]
fn team_stays(new: &RepoSpec, old: &RepoSpec) -> bool {
    new.owner_team == old.owner_team
}

#[validate(reads(Team))]
async fn team_exists(repo: &Repo, cx: &mut Review) -> Result<(), Denial> {
    if repo.spec.url.starts_with("http:") {
        cx.warn("plain http");
    }
    if cx.get::<Team>(&repo.spec.owner_team).await?.is_none() {
        cx.deny(field!(spec.owner_team), "there is no such team");
    }
    if repo.spec.every == 0 {
        cx.deny(field!(spec.every), "not that often");
    }
    Ok(())
}

#[validate(on(delete))]
fn stays(_: &Repo) -> Result<(), Denial> {
    Err(Denial::new("it is needed"))
}

#[mutate]
fn lower(repo: &mut Repo) -> Result<(), Denial> {
    repo.spec.url.make_ascii_lowercase();
    Ok(())
}

#[mutate]
fn counts(repo: &mut Repo) -> Result<(), Denial> {
    let text = repo.annotations().get("count").map_or_else(|| "1".to_owned(), |count| format!("{count}1"));
    repo.annotations_mut().insert("count".to_owned(), text);
    Ok(())
}

fn operator() -> Operator {
    let operator = Operator::new("reviewer").reconciler::<repo>(()).rules::<(team_stays,)>();
    operator.admission::<(lower, team_exists, stays)>(())
}

fn row(name: &str) -> Row {
    Row::new(name).given(&Team::crd())
}

#[tokio::test(start_paused = true)]
async fn a_refusal_has_all_fields_and_warnings() {
    let object = REPO.replace("ownerTeam: a", "ownerTeam: a, every: 0");
    let seen = row("two fields are wrong").admit(operator(), object).await;
    seen.expect(
        "{denied: {spec.ownerTeam: there is no such team, spec.every: not that often}, warnings: [plain http]}",
    );
}

#[tokio::test(start_paused = true)]
async fn the_stored_object_is_mutated() {
    let seen = row("the URL becomes lower case").given(TEAM).admit(operator(), REPO).await;
    seen.expect("{object: {spec: {url: 'http://example.com', ownerTeam: a}}, warnings: [plain http]}");
    seen.expect("warnings: [plain http]");
    let stored = kube::Api::<Repo>::default_namespaced(seen.cluster().client()).get("web").await.unwrap();
    assert_eq!(stored.spec.url, "http://example.com");
}

#[tokio::test(start_paused = true)]
async fn a_given_object_is_updated_under_the_rules_of_its_crd() {
    let object = REPO.replace("ownerTeam: a", "ownerTeam: b");
    let seen = row("the team changes").given(TEAM).given(REPO).admit(operator(), object).await;
    seen.expect("{denied: {spec.ownerTeam: 'Invalid value: the team stays'}}");
    // An unchanged spec is not reviewed.
    let object = REPO.replace("ownerTeam: a", "ownerTeam: gone");
    let seen = row("nothing changes").given(object.as_str()).admit(operator(), object.as_str()).await;
    seen.expect("{object: {spec: {ownerTeam: gone}}}");
}

#[tokio::test(start_paused = true)]
async fn a_deletion_is_refused() {
    let seen = row("it is deleted").given(REPO).admit_deletion(operator(), REPO).await;
    seen.expect(r#"denied: 'admission webhook "stays.repos.tests.evenkeel.dev" denied the request: it is needed'"#);
}

#[rule(of = Repo, message = "only robots may fetch that often")]
fn robots_hurry(new: &Repo, _old: Option<&Repo>, request: &Request) -> bool {
    new.spec.every > 9 || request.user.groups.contains("robots")
}

#[tokio::test(start_paused = true)]
async fn a_policy_is_installed() {
    let operator = Operator::new("reviewer").reconciler::<repo>(()).rules::<(robots_hurry,)>();
    let object = REPO.replace("ownerTeam: a", "ownerTeam: a, every: 5");
    let text = row("it is fetched too often").admit(operator, object).await.to_string();
    assert!(text.contains("only robots may fetch that often"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_failed_review_is_no_refusal() {
    let fault = Fault::new(Effect::Status(500)).verb(Verb::Get).resource("teams");
    let seen = row("the team cannot be read").fault(fault.always()).admit(operator(), REPO).await;
    seen.expect("outcome: '500'");
    assert!(seen.to_string().contains("`team_exists` could not review default/web: 500"), "{seen}");
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "the `#[mutate]` functions change their own result")]
async fn a_mutation_that_changes_its_own_result_fails_the_row() {
    let operator = Operator::new("reviewer").reconciler::<repo>(()).admission::<counts>(());
    row("it counts").admit(operator, REPO).await.expect("");
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "+ denied:")]
async fn an_unexpected_refusal_fails_the_row() {
    row("no team").admit(operator(), REPO).await.expect("warnings: [plain http]");
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "one object is written, and 2 are given")]
async fn two_objects_are_refused() {
    row("two").admit(operator(), format!("{REPO}---{REPO}")).await.expect("");
}
