//! Tests of the operator on a real PostgreSQL server, with an API server in this process, in virtual time: the clock stops while a
//! statement runs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel::condition::{self, READY};
use evenkeel_testkit::{Cluster, Disruption, Seed, Sweep, Trial, eventually, is_ready, until};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, Client};
use postgres::NoTls;
use serde_json::{Value, json};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::host::Host;
use crate::operator::{PostgresUser, operator, postgres_user};
use crate::password;
use crate::sql::Database;

const LONG: Duration = Duration::from_secs(1800);

/// The PostgreSQL server of this process; it stops when the process ends.
pub(crate) fn host() -> Option<&'static Host> {
    static HOST: OnceLock<Option<Host>> = OnceLock::new();
    let start = || Host::start().inspect_err(|error| eprintln!("SKIPPED: {error}")).ok();
    HOST.get_or_init(start).as_ref()
}

/// Runs a query as the superuser.
async fn ask(text: String) -> Vec<postgres::SimpleQueryMessage> {
    spawn_blocking(move || {
        let mut client = postgres::Client::connect(&host().unwrap().url, NoTls).unwrap();
        client.simple_query(&text).unwrap()
    })
    .await
    .unwrap()
}

/// Returns the first column of the first row.
pub(crate) async fn value(text: String) -> Option<String> {
    ask(text).await.iter().find_map(|message| match message {
        postgres::SimpleQueryMessage::Row(row) => row.get(0).map(ToOwned::to_owned),
        _ => None,
    })
}

pub(crate) async fn roles(role: &str) -> usize {
    let quoted = postgres_protocol::escape::escape_literal(role);
    value(format!("SELECT count(*) FROM pg_roles WHERE rolname = {quoted}")).await.unwrap().parse().unwrap()
}

pub(crate) async fn accepts(role: &str, password: &str) -> bool {
    let (role, password) = (role.to_owned(), password.to_owned());
    spawn_blocking(move || database().accepts(&role, &password).unwrap()).await.unwrap()
}

fn database() -> Database {
    host().unwrap().database().unwrap()
}

fn user(name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "sql.evenkeel.dev/v1", "kind": "PostgresUser", "metadata": { "name": name }, "spec": spec })
}

fn seed(name: &str, spec: &Value) -> Seed {
    Seed::from(&evenkeel::crd::<postgres_user>()).and(user(name, spec))
}

/// One PostgresUser, its Secret and its role.
struct World {
    cluster: Cluster,
    users: Api<PostgresUser>,
    secrets: Api<Secret>,
    name: String,
}

impl World {
    /// Creates the object and starts the operator; `None`, with a visible line, without PostgreSQL.
    async fn start(name: &str, spec: Value) -> Option<(Self, JoinHandle<()>)> {
        host()?;
        let cluster = Cluster::start().await;
        cluster.seed(seed(name, &spec)).await.unwrap();
        let world = Self::of(cluster, name);
        let operator = world.operate();
        Some((world, operator))
    }

    fn of(cluster: Cluster, name: &str) -> Self {
        let (users, secrets) = apis(cluster.client());
        Self { cluster, users, secrets, name: name.into() }
    }

    fn operate(&self) -> JoinHandle<()> {
        let operator = operator(database()).client(self.cluster.client());
        tokio::spawn(async move { operator.run_until(std::future::pending()).await.unwrap() })
    }

    async fn ready(&self) -> PostgresUser {
        until(&self.users, &self.name, LONG, is_ready).await
    }

    async fn reason(&self, wanted: &str) -> String {
        let ready = |object: &PostgresUser| {
            let conditions = object.status.as_ref().map(|status| &status.conditions);
            conditions.and_then(|all| condition::find(all, READY)).cloned()
        };
        let object = until(&self.users, &self.name, LONG, |object| ready(object).is_some_and(|r| r.reason == wanted));
        ready(&object.await).unwrap().message
    }

    async fn password(&self) -> String {
        password::of(&self.secrets.get(&format!("{}-postgres", self.name)).await.unwrap()).unwrap()
    }

    async fn annotate(&self, annotations: Value) {
        let patch = Patch::Merge(json!({ "metadata": { "annotations": annotations } }));
        self.users.patch(&self.name, &PatchParams::default(), &patch).await.unwrap();
    }

    async fn delete(&self) {
        self.users.delete(&self.name, &DeleteParams::default()).await.unwrap();
        eventually(LONG, || async { self.users.get_opt(&self.name).await.unwrap().is_none().then_some(()) }).await;
    }
}

fn apis(client: Client) -> (Api<PostgresUser>, Api<Secret>) {
    (Api::default_namespaced(client.clone()), Api::default_namespaced(client))
}

#[tokio::test(start_paused = true)]
async fn the_role_is_created_and_dropped_with_the_object() {
    let Some((world, _operator)) = World::start("made", json!({ "database": "postgres" })).await else { return };
    world.ready().await;
    assert!(accepts("default_made", &world.password().await).await);
    world.delete().await;
    assert_eq!(roles("default_made").await, 0);
}

#[tokio::test(start_paused = true)]
async fn the_password_changes_only_on_request() {
    let Some((world, _operator)) = World::start("rotated", json!({ "database": "postgres" })).await else { return };
    world.ready().await;
    let first = world.password().await;
    world.annotate(json!({ "evenkeel.dev/requestedAt": "one" })).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(world.password().await, first);
    world.annotate(json!({ "evenkeel.dev/requestedAt": "two", "evenkeel.dev/rotateAt": "two" })).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let second = world.password().await;
    assert_ne!(first, second);
    assert_eq!((accepts("default_rotated", &first).await, accepts("default_rotated", &second).await), (false, true));
    world.delete().await;
}

#[tokio::test(start_paused = true)]
async fn drift_in_postgresql_is_corrected_at_the_resync() {
    let spec = json!({ "database": "postgres", "privileges": ["Create"] });
    let Some((world, _operator)) = World::start("drifted", spec).await else { return };
    world.ready().await;
    let drift = "ALTER ROLE default_drifted PASSWORD 'other' NOLOGIN; REVOKE CREATE ON DATABASE postgres FROM default_drifted; \
                 GRANT TEMPORARY ON DATABASE template1 TO default_drifted";
    ask(drift.into()).await;
    tokio::time::sleep(Duration::from_secs(1200)).await;
    assert!(accepts("default_drifted", &world.password().await).await);
    let granted = "SELECT string_agg(d.datname || ':' || a.privilege_type, ' ') FROM pg_database d, aclexplode(d.datacl) a \
                   WHERE a.grantee = 'default_drifted'::regrole";
    assert_eq!(value(granted.into()).await.as_deref(), Some("postgres:CREATE"));
    world.delete().await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_database_is_awaited() {
    let Some((world, _operator)) = World::start("early", json!({ "database": "later" })).await else { return };
    assert_eq!(world.reason("DatabaseMissing").await, "the database \"later\" does not exist yet");
    assert_eq!(roles("default_early").await, 0);
    ask("CREATE DATABASE later".into()).await;
    world.ready().await;
    world.delete().await;
    ask("DROP DATABASE later".into()).await;
}

#[tokio::test(start_paused = true)]
async fn a_foreign_role_is_left_alone() {
    let Some((world, _operator)) = World::start("grabs", json!({ "database": "postgres", "role": "postgres" })).await
    else {
        return;
    };
    world.reason("RoleForeign").await;
    world.delete().await;
    assert_eq!(roles("postgres").await, 1);
}

#[tokio::test(start_paused = true)]
async fn two_objects_cannot_share_a_role() {
    let spec = json!({ "database": "postgres", "role": "shared" });
    let Some((world, _operator)) = World::start("one", spec.clone()).await else { return };
    world.ready().await;
    let second = World::of(world.cluster.clone(), "two");
    world.cluster.seed(Seed::from(user("two", &spec))).await.unwrap();
    second.reason("RoleForeign").await;
    assert!(accepts("shared", &world.password().await).await);
    world.delete().await;
    second.ready().await;
    assert!(accepts("shared", &second.password().await).await);
    second.delete().await;
    assert_eq!(roles("shared").await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_foreign_secret_is_neither_read_nor_changed() {
    if host().is_none() {
        return;
    }
    let cluster = Cluster::start().await;
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "theirs" },
        "stringData": { "password": "hunter2" } });
    cluster.seed(seed("nosy", &json!({ "database": "postgres", "secret": "theirs" })).and(secret)).await.unwrap();
    let world = World::of(cluster, "nosy");
    let _operator = world.operate();
    let message = world.reason("DependentForeign").await;
    assert!(message.contains("was not created by this operator") && !message.contains("hunter2"), "{message}");
    assert_eq!(password::of(&world.secrets.get("theirs").await.unwrap()).as_deref(), Some("hunter2"));
    assert_eq!(roles("default_nosy").await, 0);
    world.delete().await;
}

#[tokio::test(start_paused = true)]
async fn the_role_name_is_stored_before_any_effect() {
    let Some((world, _operator)) = World::start("named", json!({ "database": "later" })).await else { return };
    world.reason("DatabaseMissing").await;
    assert_eq!(world.users.get("named").await.unwrap().spec.role.as_deref(), Some("default_named"));
    let other = Patch::Merge(json!({ "spec": { "role": "other" } }));
    let refused = world.users.patch("named", &PatchParams::default(), &other).await.unwrap_err().to_string();
    assert!(refused.contains("the role of a PostgresUser cannot be changed"), "{refused}");
    world.delete().await;
}

#[tokio::test(start_paused = true)]
async fn under_skip_a_role_is_only_reported() {
    if host().is_none() {
        return;
    }
    let cluster = Cluster::start().await;
    let mut skipped = user("watched", &json!({ "database": "postgres", "role": "of_others" }));
    skipped["metadata"]["annotations"] = json!({ "evenkeel.dev/policy": "skip" });
    cluster.seed(Seed::from(&evenkeel::crd::<postgres_user>()).and(skipped)).await.unwrap();
    let world = World::of(cluster, "watched");
    let _operator = world.operate();
    world.reason("RoleMissing").await;
    assert_eq!(roles("of_others").await, 0);
    ask("CREATE ROLE of_others LOGIN".into()).await;
    world.ready().await;
    assert!(world.secrets.get_opt("watched-postgres").await.unwrap().is_none());
    world.delete().await;
    assert_eq!(roles("of_others").await, 1);
    ask("DROP ROLE of_others".into()).await;
}

#[tokio::test(start_paused = true)]
async fn a_detached_role_survives_the_object() {
    let Some((world, _operator)) = World::start("detached", json!({ "database": "postgres" })).await else { return };
    world.ready().await;
    let password = world.password().await;
    world.annotate(json!({ "evenkeel.dev/policy": "detach-on-delete" })).await;
    world.delete().await;
    assert!(accepts("default_detached", &password).await);
    ask("DROP ROLE default_detached".into()).await;
}

#[tokio::test(start_paused = true)]
async fn sql_in_any_field_is_quoted() {
    let evil = "x\"; DROP ROLE postgres; --";
    let spec = json!({ "database": evil, "role": evil, "secret": "evil", "privileges": ["Create"] });
    let Some((world, _operator)) = World::start("evil", spec).await else { return };
    world.reason("DatabaseMissing").await;
    ask(format!("CREATE DATABASE {}", postgres_protocol::escape::escape_identifier(evil))).await;
    world.ready().await;
    assert_eq!((roles(evil).await, roles("postgres").await), (1, 1));
    world.delete().await;
    assert_eq!((roles(evil).await, roles("postgres").await), (0, 1));
    ask(format!("DROP DATABASE {}", postgres_protocol::escape::escape_identifier(evil))).await;
}

#[tokio::test(start_paused = true)]
async fn objects_owned_by_the_role_survive_its_drop() {
    let Some((world, _operator)) = World::start("author", json!({ "database": "postgres" })).await else { return };
    world.ready().await;
    ask("CREATE TABLE work (id int); ALTER TABLE work OWNER TO default_author".into()).await;
    world.delete().await;
    assert_eq!(roles("default_author").await, 0);
    let owner = value("SELECT tableowner FROM pg_tables WHERE tablename = 'work'".into()).await;
    assert_eq!(owner.as_deref(), Some("postgres"));
    ask("DROP TABLE work".into()).await;
}

#[tokio::test(start_paused = true)]
async fn no_password_leaks_into_events_or_the_object() {
    let Some((world, _operator)) = World::start("quiet", json!({ "database": "postgres" })).await else { return };
    world.ready().await;
    let password = world.password().await;
    let events: Api<k8s_openapi::api::core::v1::Event> = Api::default_namespaced(world.cluster.client());
    let events = serde_json::to_string(&events.list(&Default::default()).await.unwrap().items).unwrap();
    let object = serde_json::to_string(&world.users.get("quiet").await.unwrap()).unwrap();
    assert!(events.contains("quiet") && !events.contains(&password) && !object.contains(&password));
    world.delete().await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_hour_writes_nothing_to_the_cluster() {
    let Some((world, _operator)) = World::start("resting", json!({ "database": "postgres" })).await else { return };
    world.ready().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    world.cluster.log().clear();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    world.cluster.log().requests().writes().assert_none();
    world.delete().await;
}

/// The policy in the status.
pub(crate) fn shown(user: &PostgresUser) -> &str {
    let inputs = user.status.as_ref().and_then(|status| status.observed_inputs.as_ref());
    inputs.map(|inputs| &*inputs.policy).filter(|policy| !policy.is_empty()).unwrap_or("manage")
}

/// One user stays and gets another password, other privileges and policies; another user is deleted. Returns what is left in PostgreSQL.
async fn scenario(trial: Trial) -> (usize, usize, bool) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    // Each run has its own roles: a statement of an interrupted run may still be in flight.
    let run = NEXT.fetch_add(1, Ordering::Relaxed);
    let (stays, deleted) = (format!("stays_{run}"), format!("goes_{run}"));
    let spec = |role: &str| json!({ "database": "postgres", "role": role });
    trial.cluster().seed(seed("stays", &spec(&stays)).and(user("goes", &spec(&deleted)))).await.unwrap();
    trial.operate(|client| operator(database()).client(client).run_until(std::future::pending()));
    tokio::time::sleep(Duration::from_secs(10)).await;
    let (users, secrets) = apis(trial.client());
    let patch = json!({ "metadata": { "annotations": {
        "evenkeel.dev/requestedAt": "one", "evenkeel.dev/rotateAt": "one" } } });
    users.patch("stays", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    users.delete("goes", &DeleteParams::default()).await.unwrap();
    let handled = |user: &PostgresUser| {
        is_ready(user) && user.status.as_ref().is_some_and(|s| s.last_handled_reconcile_at.as_deref() == Some("one"))
    };
    until(&users, "stays", LONG, handled).await;
    eventually(LONG, || async { users.get_opt("goes").await.unwrap().is_none().then_some(()) }).await;
    let change = json!({ "spec": { "privileges": ["Create"] } });
    users.patch("stays", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
    for policy in ["skip", "detach-on-delete", "manage"] {
        let patch = json!({ "metadata": { "annotations": { "evenkeel.dev/policy": policy } } });
        users.patch("stays", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
        until(&users, "stays", LONG, |user| is_ready(user) && shown(user) == policy).await;
    }
    let password = password::of(&secrets.get("stays-postgres").await.unwrap()).unwrap();
    (roles(&stays).await, roles(&deleted).await, accepts(&stays, &password).await)
}

#[tokio::test(start_paused = true)]
async fn the_operator_converges_after_any_fault() {
    if host().is_none() {
        return;
    }
    // Each run has other roles and passwords, and the status holds digests of uids.
    let own = ["status.observedInputs", "data.password", "data.username", "spec.role", "status.role"];
    let sweep = own.into_iter().fold(Sweep::new().limit(20), Sweep::ignore);
    let report = sweep.run(scenario).await;
    report.assert_converged();
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "each kind of disruption happened");
}
