//! PostgreSQL: what is done there, each of it idempotent. Every name is quoted, and no password goes there in plain text.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use postgres::error::{DbError, SqlState};
use postgres::{Client, Config, NoTls};
use postgres_protocol::escape::{escape_identifier, escape_literal};
use postgres_protocol::password::scram_sha_256;

use crate::operator::Privilege;

type Result<T> = std::result::Result<T, SqlFailed>;

/// A PostgreSQL server, and who to be there.
#[derive(Clone)]
pub struct Database {
    config: Arc<Config>,
    /// The connection of last time: to log in costs more than most statements.
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
        // A client says good-bye when it is dropped, which must not block a thread of the asynchronous runtime.
        if let Some(client) = self.swap(None) {
            std::thread::spawn(move || drop(client));
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The password of its configuration is nobody's.
        f.write_str("Database")
    }
}

/// To whom a role belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// There is no such role.
    Nobody,
    /// It was made for this object.
    This,
    /// It was made for something else.
    Other,
}

impl Database {
    /// The server of a connection string: `host=.. port=.. user=.. password=.. dbname=..` or `postgresql://..`.
    ///
    /// # Errors
    /// It is none. What it says is not repeated, as it holds a password.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let wrong = |error| format!("the connection string is not one of PostgreSQL: {error}");
        let mut config: Config = text.parse().map_err(wrong)?;
        config.application_name("postgresuser").connect_timeout(std::time::Duration::from_secs(5));
        Ok(Self { config: Arc::new(config), last: Arc::default() })
    }

    /// Works on a connection, which is kept where all went well.
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

    /// Whether there is a database of the name.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub fn has(&self, database: &str) -> Result<bool> {
        let query = "SELECT FROM pg_database WHERE datname = $1 AND datallowconn";
        self.with(|client| Ok(!client.query(query, &[&database])?.is_empty()))
    }

    /// To whom the role belongs: what made it has left a comment, which came about in one transaction with the role.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub fn owner(&self, role: &str, uid: &str) -> Result<Owner> {
        self.with(|client| owner(client, role, uid))
    }

    /// Makes the role if it is not there, able to log in.
    ///
    /// # Errors
    /// The server refuses it.
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
    /// The server does not say.
    pub fn accepts(&self, role: &str, password: &str) -> Result<bool> {
        match Config::clone(&self.config).user(role).password(password).connect(NoTls).map_err(SqlFailed) {
            Ok(_) => Ok(true),
            Err(error) if error.is(&SqlState::INVALID_PASSWORD) => Ok(false),
            // It let the role in, but not to this database.
            Err(error) if error.is(&SqlState::INSUFFICIENT_PRIVILEGE) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Sets the password of the role. The server is sent a SCRAM verifier, so that none of its logs can hold the password.
    ///
    /// # Errors
    /// The server refuses it.
    pub fn set_password(&self, role: &str, password: &str) -> Result<()> {
        let verifier = escape_literal(&scram_sha_256(password.as_bytes()));
        self.execute(&format!("ALTER ROLE {} PASSWORD {verifier}", escape_identifier(role)))
    }

    /// Lets the role do in this database what is wanted and in others nothing, as far as it was granted to itself. Returns whether
    /// something was to be changed.
    ///
    /// # Errors
    /// The server refuses it.
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

    /// Drops the role. What it owns in databases stays, with the operator as its owner.
    ///
    /// # Errors
    /// The server refuses it.
    pub fn drop_role(&self, role: &str) -> Result<()> {
        let name = escape_identifier(role);
        let places = "SELECT DISTINCT d.datname FROM pg_shdepend s JOIN pg_database d ON d.oid = s.dbid
            JOIN pg_roles r ON r.oid = s.refobjid WHERE s.refclassid = 'pg_authid'::regclass AND r.rolname = $1";
        for row in self.with(|client| Ok(client.query(places, &[&role])?))? {
            let mut there = Config::clone(&self.config).dbname(row.get(0)).connect(NoTls)?;
            there.batch_execute(&format!("REASSIGN OWNED BY {name} TO CURRENT_USER; DROP OWNED BY {name}"))?;
        }
        // Rights to databases hang on no database.
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

/// What the role may do to databases because it was granted to itself.
fn granted(client: &mut Client, role: &str) -> Result<BTreeSet<(String, String)>> {
    let query = "SELECT d.datname, a.privilege_type FROM pg_database d, aclexplode(d.datacl) a
        JOIN pg_roles r ON r.oid = a.grantee WHERE r.rolname = $1 AND d.datdba <> r.oid";
    Ok(client.query(query, &[&role])?.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// The comment of a role that was made for the object.
fn mark(uid: &str) -> String {
    format!("PostgresUser {uid}")
}

/// PostgreSQL could not be reached, or refused something.
#[derive(Debug)]
pub struct SqlFailed(postgres::Error);

impl SqlFailed {
    /// Whether it is this error of the server.
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
            (Some(message), _) => write!(f, "PostgreSQL says: {message}"),
            (None, Some(source)) => write!(f, "PostgreSQL cannot be reached: {source}"),
            (None, None) => write!(f, "PostgreSQL cannot be reached: {}", self.0),
        }
    }
}

impl std::error::Error for SqlFailed {}
