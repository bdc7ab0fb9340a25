//! Kills the operator under load, on real API servers: every user can log in with the password of its Secret, and no role is left over.

use std::collections::BTreeSet;
use std::env;
use std::time::Duration;

use evenkeel_testkit::eventually;
use evenkeel_tests::real::{RealServer, Version};
use evenkeel_tests::trial::process::end_with_parent;
use evenkeel_tests::trial::{Process, Proxy, long, settle, wanted};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kube::runtime::{conditions, wait};
use kube::{Client, Config, CustomResourceExt};
use rand::Rng;
use serde_json::json;

use crate::behaviour::{accepts, host, roles};
use crate::demo::is_ready;
use crate::operator::{PostgresUser, operator};
use crate::password;
use crate::sql::Database;

const API: &str = "POSTGRESUSER_TRIAL_API";
const DATABASE: &str = "POSTGRESUSER_TRIAL_DATABASE";

#[tokio::test]
#[ignore = "the operator that the tests below start and kill"]
async fn the_operator_in_a_process_of_its_own() {
    let (Ok(api), Ok(database)) = (env::var(API), env::var(DATABASE)) else { return };
    end_with_parent();
    let client = Client::try_from(Config::new(api.parse().unwrap())).unwrap();
    operator(Database::parse(&database).unwrap()).client(client).run_until(std::future::pending()).await.unwrap();
}

/// The users that should be there, of all that ever were.
struct Load {
    prefix: &'static str,
    users: Api<PostgresUser>,
    secrets: Api<Secret>,
    wanted: BTreeSet<usize>,
    made: usize,
}

impl Load {
    fn name(&self, user: usize) -> String {
        format!("{}-{user}", self.prefix)
    }

    fn role(&self, user: usize) -> String {
        format!("{}_{user}", self.prefix)
    }

    /// A user comes, one gets another password, and one is deleted.
    async fn change(&mut self) {
        let new = self.made;
        let user = json!({ "apiVersion": "sql.evenkeel.dev/v1", "kind": "PostgresUser",
            "metadata": { "name": self.name(new) },
            "spec": { "database": "postgres", "role": self.role(new), "privileges": ["Create"] } });
        self.users.patch(&self.name(new), &PatchParams::apply("trial"), &Patch::Apply(&user)).await.unwrap();
        (self.made, _) = (new + 1, self.wanted.insert(new));
        let chosen = self.wanted.iter().nth(rand::rng().random_range(0..self.wanted.len())).copied().unwrap();
        let token = new.to_string();
        let ask = json!({ "metadata": { "annotations": {
            "evenkeel.dev/requestedAt": token, "evenkeel.dev/rotateAt": token } } });
        self.users.patch(&self.name(chosen), &PatchParams::default(), &Patch::Merge(&ask)).await.unwrap();
        if self.wanted.len() > 4 {
            let oldest = self.wanted.pop_first().unwrap();
            self.users.delete(&self.name(oldest), &DeleteParams::default()).await.unwrap();
        }
    }

    async fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for user in 0..self.made {
            let (name, role) = (self.name(user), self.role(user));
            let object = self.users.get_opt(&name).await.unwrap();
            let secret = self.secrets.get_opt(&format!("{name}-postgres")).await.unwrap();
            if !self.wanted.contains(&user) {
                if object.is_some() || secret.is_some() || roles(&role).await > 0 {
                    wrong.push(format!("something of {name} is left over"));
                }
                continue;
            }
            let logs_in = match secret.as_ref().and_then(password::of) {
                Some(password) => accepts(&role, &password).await,
                None => false,
            };
            if !object.is_some_and(|object| is_ready(&object)) || !logs_in {
                wrong.push(format!("{name} is not ready, or cannot log in ({logs_in})"));
            }
        }
        wrong
    }
}

async fn endure(version: Version, prefix: &'static str) {
    let Some(host) = host() else { return };
    if !wanted() {
        return;
    }
    let Some(server) = RealServer::start(version, true).await else { return };
    let client = server.client().await;
    let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
    let crd = Patch::Apply(PostgresUser::crd());
    crds.patch(PostgresUser::crd_name(), &PatchParams::apply("trial"), &crd).await.unwrap();
    wait::await_condition(crds, PostgresUser::crd_name(), conditions::is_crd_established()).await.unwrap();
    let proxy = Proxy::start(client.clone(), None).await;
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let variables = [(API, proxy.url()), (DATABASE, host.url.clone())];
        Process::start("kills::the_operator_in_a_process_of_its_own", &variables, &folder.path().join("log"))
    };
    let (users, secrets) = (Api::default_namespaced(client.clone()), Api::default_namespaced(client.clone()));
    let mut load = Load { prefix, users, secrets, wanted: BTreeSet::new(), made: 0 };
    // Its routes are there a moment after the CRD is established.
    eventually(Duration::from_secs(60), || async { load.users.get_opt("none").await.ok() }).await;
    let kills = if long() { 30 } else { 3 };
    for _ in 0..kills {
        let mut operator = start();
        load.change().await;
        load.change().await;
        tokio::time::sleep(Duration::from_millis(rand::rng().random_range(0..2_000))).await;
        operator.kill();
    }
    let _operator = start();
    settle(&format!("{version:?}, {kills} kills with real logins"), || load.wrong()).await;
    for user in std::mem::take(&mut load.wanted) {
        load.users.delete(&load.name(user), &DeleteParams::default()).await.unwrap();
    }
    settle(&format!("{version:?}, all users deleted"), || load.wrong()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_under_load_on_a_modern_server_every_user_can_log_in() {
    endure(Version::Modern, "modern").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_under_load_on_a_server_of_1_20_every_user_can_log_in() {
    if !long() {
        return eprintln!("SKIPPED: the long trials (EVENKEEL_TRIALS=all) run this");
    }
    endure(Version::Full, "full").await;
}
