//! The demo: a PostgresUser is created, logs in, gets another password, and is deleted.

use std::time::Duration;

use evenkeel::condition::{self, READY};
use evenkeel_testkit::is_ready;
use examples::server::message_of;
use examples::story::{Story, print_changes};
use examples::terminal::print_line;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::wait;
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::operator::PostgresUser;
use crate::password;
use crate::sql::Database;

const NAME: &str = "ada";
const DEADLINE: Duration = Duration::from_secs(60);

type Result<T> = std::result::Result<T, String>;

/// The demo, in one namespace of a server that has the CRD.
#[derive(Debug)]
pub struct Demo {
    users: Api<PostgresUser>,
    secrets: Api<Secret>,
    database: Database,
}

impl Demo {
    /// Creates a demo in the namespace.
    #[must_use]
    pub fn new(client: Client, namespace: &str, database: Database) -> Self {
        Self {
            users: Api::namespaced(client.clone(), namespace),
            secrets: Api::namespaced(client, namespace),
            database,
        }
    }

    /// Waits until the object is ready with a new password, and returns role and password.
    async fn password_other_than(&self, before: Option<&str>) -> Result<(String, String)> {
        let other = async {
            loop {
                let ready = wait::await_condition(self.users.clone(), NAME, |user: Option<&PostgresUser>| {
                    user.is_some_and(is_ready)
                });
                let user = ready.await.map_err(|error| format!("cannot watch {NAME}: {error}"))?.ok_or("gone")?;
                let secret =
                    self.secrets.get(&password::secret_name(&user)).await.map_err(|error| message_of(&error))?;
                let role = user.status.and_then(|status| status.role).unwrap_or_default();
                let login = password::of(&secret).map(|password| (role, password));
                match login {
                    Some(login) if Some(login.1.as_str()) != before && self.logs_in(&login).await? => return Ok(login),
                    _ => tokio::time::sleep(Duration::from_millis(100)).await,
                }
            }
        };
        timeout(DEADLINE, other).await.map_err(|_| format!("{NAME} is not ready after {DEADLINE:?}"))?
    }

    async fn logs_in(&self, (role, password): &(String, String)) -> Result<bool> {
        let (database, role, password) = (self.database.clone(), role.clone(), password.clone());
        let answer =
            spawn_blocking(move || database.accepts(&role, &password)).await.map_err(|error| error.to_string())?;
        answer.map_err(|error| error.to_string())
    }
}

impl Story for Demo {
    const FAREWELL: &'static str = "deleting the PostgresUser; its role goes before it";

    /// Creates the object, logs in as its role, and requests another password.
    async fn run(&self) -> Result<()> {
        let object = json!({ "apiVersion": "sql.evenkeel.dev/v1", "kind": "PostgresUser",
            "metadata": { "name": NAME }, "spec": { "database": "postgres", "privileges": ["Create"] } });
        let params = PatchParams::apply("postgresuser-demo").force();
        let made = self.users.patch(NAME, &params, &Patch::Apply(&object)).await;
        made.map_err(|error| format!("cannot apply {NAME}: {}", message_of(&error)))?;
        let first = self.password_other_than(None).await?;
        print_line(&format!("\n{} logs in: {}", first.0, self.logs_in(&first).await?))?;
        print_line("\na user requests another password")?;
        let now = jiff::Timestamp::now().to_string();
        let request = json!({ "metadata": { "annotations": {
            "evenkeel.dev/requestedAt": now, "evenkeel.dev/rotateAt": now } } });
        let asked = self.users.patch(NAME, &PatchParams::default(), &Patch::Merge(&request)).await;
        asked.map_err(|error| format!("cannot annotate {NAME}: {}", message_of(&error)))?;
        let second = self.password_other_than(Some(&first.1)).await?;
        let (old, new) = (self.logs_in(&first).await?, self.logs_in(&second).await?);
        print_line(&format!("\n{} logs in with the first password: {old}, with the second: {new}", first.0))
    }

    async fn look_on(&self) -> Result<()> {
        print_changes(self.users.clone(), line).await
    }

    /// Deletes the object and waits until it is gone; its role is dropped before.
    async fn end(&self) -> Result<()> {
        let uid = match self.users.delete(NAME, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(()),
            Err(error) => return Err(format!("cannot delete {NAME}: {}", message_of(&error))),
            Ok(deleted) => deleted.left().and_then(|object| object.uid()).unwrap_or_default(),
        };
        let gone = wait::await_condition(self.users.clone(), NAME, wait::conditions::is_deleted(&uid));
        let gone = timeout(DEADLINE, gone).await.map_err(|_| format!("{NAME} is there after {DEADLINE:?}"))?;
        gone.map(drop).map_err(|error| error.to_string())
    }
}

fn line(object: &PostgresUser) -> String {
    let ready = object.status.as_ref().and_then(|status| condition::find(&status.conditions, READY));
    let role = object.status.as_ref().and_then(|status| status.role.as_deref()).unwrap_or("-");
    let ready = ready.map_or_else(|| "Unknown".to_owned(), |r| format!("{} {} {}", r.status, r.reason, r.message));
    format!("PostgresUser/{} role={role} Ready={ready}", object.name_any())
}
