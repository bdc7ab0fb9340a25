//! PostgreSQL: idempotent statements. Every name is quoted, and no password is sent in plain text.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use postgres::error::{DbError, SqlState};
use postgres::{Client, Config, NoTls};
use postgres_protocol::escape::{escape_identifier, escape_literal};
use postgres_protocol::password::scram_sha_256;

use crate::operator::Privilege;

type Result<T> = std::result::Result<T, SqlFailed>;

/// A PostgreSQL server and the credentials for it.
#[derive(Clone)]
pub struct Database {
    config: Arc<Config>,
    /// The last connection: a login costs more than most statements.
    last: Arc<Last>,
}

#[derive(Default)]
struct Last(Mutex<Option<Client>>);

impl Last {
    fn swap(&self, client: Option<Client>) -> Option<Client> {
        std::mem::replace(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), client)
    }
}

impl Drop for Last {
    fn drop(&mut self) {
        // A client sends a message when it is dropped, which must not block a thread of the async runtime.
        if let Some(client) = self.swap(None) {
            std::thread::spawn(move || drop(client));
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the configuration, which contains the password.
        f.write_str("Database")
    }
}

/// The owner of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The role does not exist.
    Nobody,
    /// The role was created for this object.
    This,
    /// The role was created otherwise.
    Other,
}

impl Database {
    /// Parses a connection string: `host=.. port=.. user=.. password=.. dbname=..` or `postgresql://..`.
    ///
    /// # Errors
    /// The connection string is invalid. The message does not repeat it, since it contains a password.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let wrong = |error| format!("the connection string is not one of PostgreSQL: {error}");
        let mut config: Config = text.parse().map_err(wrong)?;
        config.application_name("postgresuser").connect_timeout(std::time::Duration::from_secs(5));
        Ok(Self { config: Arc::new(config), last: Arc::default() })
    }

    /// Runs statements on a connection, which is reused after success.
    fn with<T>(&self, work: impl FnOnce(&mut Client) -> Result<T>) -> Result<T> {
        let mut client = match self.last.swap(None).filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => self.config.connect(NoTls)?,
        };
        let done = work(&mut client)?;
        self.last.swap(Some(client));
        Ok(done)
    }

    fn execute(&self, text: &str) -> Result<()> {
        self.with(|client| Ok(client.batch_execute(text)?))
    }

    /// Whether the database exists.
    ///
    /// # Errors
    /// The server cannot be queried.
    pub fn has(&self, database: &str) -> Result<bool> {
        let query = "SELECT FROM pg_database WHERE datname = $1 AND datallowconn";
        self.with(|client| Ok(!client.query(query, &[&database])?.is_empty()))
    }

    /// Returns the owner of the role, from the comment that is created in one transaction with the role.
    ///
    /// # Errors
    /// The server cannot be queried.
    pub fn owner(&self, role: &str, uid: &str) -> Result<Owner> {
        self.with(|client| owner(client, role, uid))
    }

    /// Creates the role, with login, if it does not exist.
    ///
    /// # Errors
    /// The server rejects the statement.
    pub fn make(&self, role: &str, uid: &str) -> Result<()> {
        let (name, comment) = (escape_identifier(role), escape_literal(&mark(uid)));
        let unable = "SELECT FROM pg_roles WHERE rolname = $1 AND NOT rolcanlogin";
        self.with(|client| {
            if owner(client, role, uid)? == Owner::Nobody {
                // Statements of one text are one transaction.
                client.batch_execute(&format!("CREATE ROLE {name} LOGIN; COMMENT ON ROLE {name} IS {comment}"))?;
            } else if !client.query(unable, &[&role])?.is_empty() {
                client.batch_execute(&format!("ALTER ROLE {name} LOGIN"))?;
            }
            Ok(())
        })
    }

    /// Whether the role can log in with the password.
    ///
    /// # Errors
    /// The server cannot be queried.
    pub fn accepts(&self, role: &str, password: &str) -> Result<bool> {
        match Config::clone(&self.config).user(role).password(password).connect(NoTls).map_err(SqlFailed) {
            Ok(_) => Ok(true),
            Err(error) if error.is(&SqlState::INVALID_PASSWORD) => Ok(false),
            // The login succeeded, but this database is not allowed.
            Err(error) if error.is(&SqlState::INSUFFICIENT_PRIVILEGE) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Sets the password of the role. The server gets a SCRAM verifier, so no log of it contains the password.
    ///
    /// # Errors
    /// The server rejects the statement.
    pub fn set_password(&self, role: &str, password: &str) -> Result<()> {
        let verifier = escape_literal(&scram_sha_256(password.as_bytes()));
        self.execute(&format!("ALTER ROLE {} PASSWORD {verifier}", escape_identifier(role)))
    }

    /// Grants the wanted privileges in this database and revokes all direct grants in others. Returns whether anything changed.
    ///
    /// # Errors
    /// The server rejects a statement.
    pub fn grant(&self, role: &str, database: &str, wanted: &BTreeSet<Privilege>) -> Result<bool> {
        let wanted: BTreeSet<_> = wanted.iter().map(|one| (database.to_owned(), one.as_str().to_owned())).collect();
        let granted = self.with(|client| granted(client, role))?;
        let name = escape_identifier(role);
        let change = |verb: &str, word: &str, (database, privilege): &(String, String)| {
            format!("{verb} {privilege} ON DATABASE {} {word} {name};", escape_identifier(database))
        };
        let revoked = granted.difference(&wanted).map(|one| change("REVOKE", "FROM", one));
        let changes: String =
            revoked.chain(wanted.difference(&granted).map(|one| change("GRANT", "TO", one))).collect();
        if !changes.is_empty() {
            self.execute(&changes)?;
        }
        Ok(!changes.is_empty())
    }

    /// Drops the role. Its objects in databases stay and belong to the operator.
    ///
    /// # Errors
    /// The server rejects a statement.
    pub fn drop_role(&self, role: &str) -> Result<()> {
        let name = escape_identifier(role);
        let places = "SELECT DISTINCT d.datname FROM pg_shdepend s JOIN pg_database d ON d.oid = s.dbid
            JOIN pg_roles r ON r.oid = s.refobjid WHERE s.refclassid = 'pg_authid'::regclass AND r.rolname = $1";
        for row in self.with(|client| Ok(client.query(places, &[&role])?))? {
            let mut there = Config::clone(&self.config).dbname(row.get(0)).connect(NoTls)?;
            there.batch_execute(&format!("REASSIGN OWNED BY {name} TO CURRENT_USER; DROP OWNED BY {name}"))?;
        }
        // Privileges on databases do not depend on the current database.
        self.execute(&format!("DROP OWNED BY {name}; DROP ROLE {name}"))
    }
}

fn owner(client: &mut Client, role: &str, uid: &str) -> Result<Owner> {
    let comment = "SELECT shobj_description(oid, 'pg_authid') FROM pg_roles WHERE rolname = $1";
    Ok(match client.query_opt(comment, &[&role])? {
        None => Owner::Nobody,
        Some(row) if row.get::<_, Option<String>>(0) == Some(mark(uid)) => Owner::This,
        Some(_) => Owner::Other,
    })
}

/// Returns the privileges on databases that were granted to the role directly.
fn granted(client: &mut Client, role: &str) -> Result<BTreeSet<(String, String)>> {
    let query = "SELECT d.datname, a.privilege_type FROM pg_database d, aclexplode(d.datacl) a
        JOIN pg_roles r ON r.oid = a.grantee WHERE r.rolname = $1 AND d.datdba <> r.oid";
    Ok(client.query(query, &[&role])?.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Returns the comment of a role that was created for the object.
fn mark(uid: &str) -> String {
    format!("PostgresUser {uid}")
}

/// PostgreSQL cannot be reached, or rejects a statement.
#[derive(Debug)]
pub struct SqlFailed(postgres::Error);

impl SqlFailed {
    /// Whether the server returned this error code.
    #[must_use]
    pub fn is(&self, state: &SqlState) -> bool {
        self.0.code() == Some(state)
    }
}

impl From<postgres::Error> for SqlFailed {
    fn from(error: postgres::Error) -> Self {
        Self(error)
    }
}

impl fmt::Display for SqlFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.as_db_error().map(DbError::message), std::error::Error::source(&self.0)) {
            (Some(message), _) => write!(f, "PostgreSQL reports: {message}"),
            (None, Some(source)) => write!(f, "PostgreSQL cannot be reached: {source}"),
            (None, None) => write!(f, "PostgreSQL cannot be reached: {}", self.0),
        }
    }
}

impl std::error::Error for SqlFailed {}
