//! Two replicas as processes: the leader is killed again and again while passwords are rotated, and no user is locked out.

use std::env;
use std::time::Duration;

use evenkeel::Replicas;
use evenkeel_testkit::{Cluster, Seed, Serving, eventually, is_ready};
use evenkeel_tests::trial::process::end_with_parent;
use evenkeel_tests::trial::{Process, below, settle};
use futures::future::join_all;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::{Api, Config, ResourceExt};
use serde_json::json;

use crate::behaviour::{accepts, host, value};
use crate::operator::{PostgresUser, operator, postgres_user};
use crate::password;
use crate::sql::Database;

const SOON: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);
const API: &str = "POSTGRESUSER_REPLICA_API";
const DATABASE: &str = "POSTGRESUSER_REPLICA_DATABASE";

const USERS: usize = 40;

/// The number of kills: each takes about ten seconds, so there are ten only if the trials are enabled.
fn kills() -> usize {
    if env::var_os("EVENKEEL_TRIALS").is_some() { 10 } else { 3 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the replica that the test below starts and kills"]
async fn the_replica_process() {
    let (Ok(api), Ok(database)) = (env::var(API), env::var(DATABASE)) else { return };
    end_with_parent();
    let mut config = Config::new(api.parse().unwrap());
    config.default_retry = false;
    let database = Database::parse(&database).unwrap();
    let (lease, deadline, renew) = (5 * SECOND, 3 * SECOND, SECOND);
    // Like a cluster, which restarts a pod whose program ends: a replica without a processor for a term may end.
    loop {
        let replicas = Replicas { lease, deadline, renew, namespace: Some("default".into()), ..Replicas::default() };
        let replica = operator(database.clone()).config(config.clone()).replicas_with(replicas);
        println!("the replica ended: {:?}", replica.run_until(std::future::pending()).await);
        tokio::time::sleep(SECOND).await;
    }
}

/// Two replicas on an API server in this process.
struct Pair {
    cluster: Cluster,
    serving: Serving,
    folder: tempfile::TempDir,
    replicas: Vec<(String, Process)>,
    started: usize,
}

impl Pair {
    async fn start() -> Self {
        let cluster = Cluster::start().await;
        let mut seed = Seed::from(&evenkeel::crd::<postgres_user>());
        for user in 0..USERS {
            let spec = json!({ "database": "postgres", "role": format!("replicated_{user}") });
            seed = seed.and(json!({ "apiVersion": "sql.evenkeel.dev/v1", "kind": "PostgresUser",
                "metadata": { "name": format!("u{user}") }, "spec": spec }));
        }
        cluster.seed(seed).await.unwrap();
        let (serving, folder) = (cluster.serve().await.unwrap(), tempfile::tempdir().unwrap());
        let mut pair = Self { cluster, serving, folder, replicas: Vec::new(), started: 0 };
        pair.add();
        pair.add();
        pair
    }

    /// Starts a replica.
    fn add(&mut self) {
        let name = format!("replica-{}", self.started);
        let database = host().unwrap().url.clone();
        let variables = [(API, self.serving.url()), (DATABASE, database), ("POD_NAME", name.clone())];
        let log = self.folder.path().join(&name);
        self.replicas.push((name, Process::start("replicas::the_replica_process", &variables, &log)));
        self.started += 1;
    }

    async fn lease(&self) -> Option<(String, i32)> {
        let lease: Api<Lease> = Api::default_namespaced(self.cluster.client());
        let spec = lease.get_opt("postgres-user").await.unwrap()?.spec?;
        Some((spec.holder_identity?, spec.lease_transitions?))
    }

    /// Waits until a living replica has the lease. Returns its place and the number of the term.
    async fn leader(&self) -> (usize, i32) {
        eventually(SOON, || async {
            let (holder, term) = self.lease().await?;
            let (name, _) = holder.rsplit_once('_')?;
            Some((self.replicas.iter().position(|(replica, _)| replica == name)?, term))
        })
        .await
    }

    /// Kills a replica like `kill -9`, and starts another one.
    fn kill(&mut self, at: usize) {
        self.replicas.remove(at).1.kill();
        self.add();
    }

    /// The users, in one order.
    async fn users(&self) -> Vec<PostgresUser> {
        let users: Api<PostgresUser> = Api::default_namespaced(self.cluster.client());
        users.list(&ListParams::default()).await.unwrap().items
    }

    /// Requests another password for each user.
    async fn rotate(&self, token: &str) {
        let users: Api<PostgresUser> = Api::default_namespaced(self.cluster.client());
        let ask = json!({ "metadata": { "annotations": {
            "evenkeel.dev/requestedAt": token, "evenkeel.dev/rotateAt": token } } });
        let (params, ask) = (PatchParams::default(), Patch::Merge(ask));
        for user in 0..USERS {
            users.patch(&format!("u{user}"), &params, &ask).await.unwrap();
        }
    }

    /// How many users have the password that was requested with this token.
    async fn rotated(&self, token: &str) -> usize {
        self.users().await.iter().filter(|user| is_handled(user, token)).count()
    }

    /// Waits until that many users have it.
    async fn until_rotated(&self, token: &str, count: usize) {
        eventually(SOON, || async { (self.rotated(token).await >= count).then_some(()) }).await;
    }

    async fn password(&self, user: &PostgresUser) -> Option<String> {
        let secrets: Api<Secret> = Api::default_namespaced(self.cluster.client());
        let secret = secrets.get_opt(&format!("{}-postgres", user.name_any())).await.unwrap()?;
        password::of(&secret)
    }

    async fn passwords(&self) -> Vec<Option<String>> {
        join_all(self.users().await.iter().map(|user| self.password(user))).await
    }

    /// The users that are not ready with their last password, or cannot log in with it.
    async fn wrong(&self, token: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        for user in self.users().await {
            let role = user.spec.role.as_deref().unwrap_or_default();
            let logs_in = match self.password(&user).await {
                Some(password) => accepts(role, &password).await,
                None => false,
            };
            if !logs_in || !is_handled(&user, token) {
                wrong.push(format!("{role} logs in: {logs_in}, is handled: {}", is_handled(&user, token)));
            }
        }
        wrong
    }

    async fn delete_all(&self) {
        let users: Api<PostgresUser> = Api::default_namespaced(self.cluster.client());
        users.delete_collection(&DeleteParams::default(), &ListParams::default()).await.unwrap();
        eventually(SOON, || async { self.users().await.is_empty().then_some(()) }).await;
    }
}

/// Whether the user is ready after this request.
fn is_handled(user: &PostgresUser, token: &str) -> bool {
    let handled = user.status.as_ref().and_then(|status| status.last_handled_reconcile_at.as_deref());
    is_ready(user) && handled == Some(token)
}

async fn roles() -> usize {
    let count = value("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'replicated_%'".into()).await;
    count.unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_of_the_leader_lock_out_no_user() {
    if host().is_none() {
        return;
    }
    let mut pair = Pair::start().await;
    let (_, first_term) = pair.leader().await;
    pair.rotate("first").await;
    pair.until_rotated("first", USERS).await;
    let before = pair.passwords().await;
    let (kills, mut interrupted) = (kills(), 0);
    for kill in 0..kills {
        let (token, (leader, _)) = (format!("kill-{kill}"), pair.leader().await);
        pair.rotate(&token).await;
        pair.until_rotated(&token, below(USERS as u64) as usize).await;
        pair.kill(leader);
        interrupted += usize::from(pair.rotated(&token).await < USERS);
    }
    let (_, last_term) = pair.leader().await;
    let last = format!("kill-{}", kills - 1);
    settle(&format!("{kills} kills of the leader"), || pair.wrong(&last)).await;
    let logins = USERS - pair.wrong(&last).await.len();
    println!("{logins} of {USERS} logins work; {interrupted} of {kills} kills interrupted rotations");
    assert_eq!((logins, roles().await), (USERS, USERS));
    assert!(interrupted > 0 && last_term - first_term >= kills as i32, "{interrupted}, {first_term} to {last_term}");
    let after = pair.passwords().await;
    assert!(before.iter().zip(&after).all(|(before, after)| before.is_some() && before != after), "all are rotated");
    pair.delete_all().await;
    assert_eq!(roles().await, 0);
}
