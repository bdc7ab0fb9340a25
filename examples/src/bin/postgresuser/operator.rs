//! The operator: the kind `PostgresUser`, its conditions and errors, and its steps.

use std::collections::BTreeSet;

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use schemars::JsonSchema;

use crate::name::{self, InvalidName};
use crate::password;
use crate::sql::{Database, Owner, SqlFailed};

/// A role of a PostgreSQL server with the LOGIN attribute, and the Secret with its password.
///
/// Everyone who may create the object gets access to the database in its spec.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "sql.evenkeel.dev", version = "v1", kind = "PostgresUser", namespaced, status = "PostgresUserStatus")]
#[kube(shortname = "pguser")]
#[kube(printcolumn(name = "Role", type_ = "string", json_path = ".status.role"))]
#[kube(printcolumn(name = "Ready", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].status"))]
#[kube(printcolumn(name = "Status", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].message"))]
#[x_kube(validation = Rule::new("!has(oldSelf.role) || (has(self.role) && self.role == oldSelf.role)").message("the role of a PostgresUser cannot be changed"))]
#[serde(rename_all = "camelCase")]
pub struct PostgresUserSpec {
    /// The name of the role; default: `<namespace>_<name>`.
    #[schemars(length(min = 1, max = 63))]
    pub role: Option<String>,
    /// The database to which the role gets access.
    #[schemars(length(min = 1, max = 63))]
    pub database: String,
    /// The privileges of the role in the database, in addition to those of PUBLIC.
    #[serde(default)]
    pub privileges: BTreeSet<Privilege>,
    /// The name of the Secret with `username`, `password` and `database`; default: `<name>-postgres`.
    #[schemars(length(min = 1, max = 253))]
    pub secret: Option<String>,
}

/// A privilege of a role in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
pub enum Privilege {
    /// To connect to the database.
    Connect,
    /// To create schemas in the database.
    Create,
    /// To create temporary tables in the database.
    Temporary,
}

impl Privilege {
    /// The word of SQL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "CONNECT",
            Self::Create => "CREATE",
            Self::Temporary => "TEMPORARY",
        }
    }
}

/// The observed state of the role.
#[status]
pub struct PostgresUserStatus {
    /// The name of the role.
    pub role: Option<String>,
}

/// The conditions, most important first.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum UserCondition {
    /// The role exists and can log in with the password of the Secret.
    #[condition(positive)]
    RoleReady,
    /// The role has exactly the privileges of the spec.
    #[condition(positive)]
    Granted,
}

/// The errors of the steps, with their classes.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum UserError {
    /// The name is not valid for a role; a retry does not help.
    #[error(transparent)]
    #[class(stalled)]
    InvalidRole(#[from] InvalidName),
    /// The database does not exist yet, and nothing reports its creation, so the step polls.
    #[error("the database {0:?} does not exist yet")]
    #[class(waiting(poll = "1m"))]
    DatabaseMissing(String),
    /// A role with this name exists that was not created for this object.
    #[error("the role {0:?} is there and not of this PostgresUser: drop it, or choose another name")]
    #[class(waiting(poll = "5m"))]
    RoleForeign(String),
    /// The object is only observed, and the role does not exist.
    #[error("the role {0:?} is not there, and the policy of the object is not to make it")]
    #[class(waiting(poll = "5m"))]
    RoleMissing(String),
    /// The API server rejects the Secret, or another owner has one of this name.
    #[error(transparent)]
    #[class(transient)]
    CallFailed(#[from] ApiError),
    /// PostgreSQL is down, or rejects a statement.
    #[error(transparent)]
    #[class(transient)]
    SqlFailed(#[from] SqlFailed),
}

/// Stores the name of the role, so that it stays the same if the naming rule changes.
#[claim]
pub async fn name_role(user: &mut PostgresUser) -> Result<(), UserError> {
    user.spec.role = Some(name::wanted(user)?);
    Ok(())
}

/// Creates the role and its password, and corrects other changes. Returns the name of the role.
#[sub_reconciler(sets(on::RoleReady), external, owns(Secret), reads(Secret), actions(rotate))]
pub async fn keep(user: &PostgresUser, database: &Database, cx: &mut Cx<'_, keep>) -> Result<String, UserError> {
    let role = name::wanted(user)?;
    cx.status().role = Some(role.clone());
    let (server, name) = (database.clone(), user.spec.database.clone());
    if !cx.blocking(move || server.has(&name)).await? {
        return Err(UserError::DatabaseMissing(user.spec.database.clone()));
    }
    let (server, name, uid) = (database.clone(), role.clone(), user.uid().unwrap_or_default());
    if cx.blocking(move || server.owner(&name, &uid)).await? == Owner::Other {
        return Err(UserError::RoleForeign(role));
    }
    let (secret, rotate) = (password::secret_name(user), cx.requested("rotate"));
    let known = cx.get::<Secret>(&secret).await?.as_ref().and_then(password::of).filter(|_| !rotate);
    let password = known.unwrap_or_else(password::fresh);
    // The Secret comes first: that of another owner is refused before the password is used, and no password is lost.
    let content = [("username", role.as_str()), ("password", &password), ("database", &user.spec.database)];
    cx.export_secret(&secret, content).await?;
    let (server, name, uid) = (database.clone(), role.clone(), user.uid().unwrap_or_default());
    let made = move || -> Result<(), SqlFailed> {
        server.make(&name, &uid)?;
        if server.accepts(&name, &password)? { Ok(()) } else { server.set_password(&name, &password) }
    };
    cx.blocking(made).await?;
    cx.ready("Provisioned", format!("the role can log in to the database {:?}", user.spec.database));
    Ok(role)
}

/// Grants the privileges of the spec, and revokes all others.
#[sub_reconciler(sets(on::Granted))]
pub async fn grant(
    user: &PostgresUser,
    database: &Database,
    role: String,
    cx: &mut Cx<'_, grant>,
) -> Result<(), UserError> {
    let (server, spec) = (database.clone(), user.spec.clone());
    cx.blocking(move || server.grant(&role, &spec.database, &spec.privileges)).await?;
    Ok(())
}

/// Drops the role, if it was made for this object.
#[cleanup(of = keep)]
pub async fn drop_role(user: &PostgresUser, database: &Database, cx: &mut Cx<'_, keep>) -> Result<(), UserError> {
    // A name that PostgreSQL does not take was never made.
    let Ok(role) = name::wanted(user) else { return Ok(()) };
    let (server, uid) = (database.clone(), user.uid().unwrap_or_default());
    let drop_own = move || match server.owner(&role, &uid)? {
        Owner::This => server.drop_role(&role),
        Owner::Nobody | Owner::Other => Ok(()),
    };
    Ok(cx.blocking(drop_own).await?)
}

/// Reports whether the role exists if the policy forbids changes.
#[observe(sets(on::RoleReady))]
pub async fn look(user: &PostgresUser, database: &Database, cx: &mut Cx<'_, look>) -> Result<(), UserError> {
    let role = name::wanted(user)?;
    cx.status().role = Some(role.clone());
    let (server, name, uid) = (database.clone(), role.clone(), user.uid().unwrap_or_default());
    match cx.blocking(move || server.owner(&name, &uid)).await? {
        Owner::Nobody => Err(UserError::RoleMissing(role)),
        Owner::This | Owner::Other => Ok(()),
    }
}

/// First the role, then its privileges.
#[reconciler(conditions = UserCondition, requeue = "10m", claim = name_role, policies, observe = look)]
pub async fn postgres_user(user: &PostgresUser, database: &Database, cx: &mut Pass<'_>) -> PassResult {
    let role = keep(user, database, cx).await?;
    grant(user, database, role, cx).await?;
    Ok(())
}

/// Returns the operator.
pub fn operator(database: Database) -> Operator {
    Operator::new("postgres-user").reconciler::<postgres_user>(database)
}
