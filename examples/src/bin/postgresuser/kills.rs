//! Kills the operator under load on real API servers: every user can log in with the password of its Secret, and no role is left over.

use std::collections::BTreeSet;
use std::env;

use evenkeel_testkit::is_ready;
use evenkeel_tests::real::Version;
use evenkeel_tests::trial::kills::{self, Site, client_of_the_process};
use evenkeel_tests::trial::{Process, below};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::behaviour::{accepts, host, roles};
use crate::operator::{PostgresUser, operator};
use crate::password;
use crate::sql::Database;

const DATABASE: &str = "POSTGRESUSER_TRIAL_DATABASE";

#[tokio::test]
#[ignore = "the operator that the tests below start and kill"]
async fn the_operator_process() {
    let Some(client) = client_of_the_process() else { return };
    let database = env::var(DATABASE).unwrap();
    operator(Database::parse(&database).unwrap()).client(client).run_until(std::future::pending()).await.unwrap();
}

/// The users that should exist, out of all that ever existed.
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
}

impl kills::Load for Load {
    /// Creates a user, rotates the password of one, and deletes one.
    async fn change(&mut self) {
        let new = self.made;
        let user = json!({ "apiVersion": "sql.evenkeel.dev/v1", "kind": "PostgresUser",
            "metadata": { "name": self.name(new) },
            "spec": { "database": "postgres", "role": self.role(new), "privileges": ["Create"] } });
        self.users.patch(&self.name(new), &PatchParams::apply("trial"), &Patch::Apply(&user)).await.unwrap();
        (self.made, _) = (new + 1, self.wanted.insert(new));
        let place = below(self.wanted.len() as u64) as usize;
        let chosen = self.wanted.iter().nth(place).copied().unwrap();
        let token = new.to_string();
        let ask = json!({ "metadata": { "annotations": {
            "evenkeel.dev/requestedAt": token, "evenkeel.dev/rotateAt": token } } });
        self.users.patch(&self.name(chosen), &PatchParams::default(), &Patch::Merge(&ask)).await.unwrap();
        if self.wanted.len() > 4 {
            let oldest = self.wanted.pop_first().unwrap();
            self.users.delete(&self.name(oldest), &DeleteParams::default()).await.unwrap();
        }
    }

    async fn delete(&mut self) {
        for user in std::mem::take(&mut self.wanted) {
            self.users.delete(&self.name(user), &DeleteParams::default()).await.unwrap();
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
    let Some(site) = Site::of::<PostgresUser>(version).await else { return };
    let folder = tempfile::tempdir().unwrap();
    let (users, secrets) = (Api::default_namespaced(site.client.clone()), Api::default_namespaced(site.client.clone()));
    let mut load = Load { prefix, users, secrets, wanted: BTreeSet::new(), made: 0 };
    let start = || {
        let variables = [site.variable(), (DATABASE, host.url.clone())];
        Process::start("kills::the_operator_process", &variables, &folder.path().join("log"))
    };
    site.endure(&mut load, 2, start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_under_load_on_modern_lock_out_no_user() {
    endure(Version::Modern, "modern").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_under_load_on_1_20_lock_out_no_user() {
    endure(Version::Full, "full").await;
}
