//! The name of a role.

use kube::ResourceExt;
use sha2::{Digest, Sha256};

use crate::operator::PostgresUser;

/// PostgreSQL truncates longer names; in bytes.
const LONGEST: usize = 63;

/// A name that PostgreSQL does not accept.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the role {0:?} is no name: it takes 1 to 63 bytes without NUL, and not `public`, `none` or `pg_..`")]
pub struct InvalidName(String);

/// Returns the role that the spec names, by default one of namespace and name, which is unique.
///
/// # Errors
/// PostgreSQL would reject or truncate the name.
pub fn wanted(user: &PostgresUser) -> Result<String, InvalidName> {
    let Some(name) = &user.spec.role else {
        return Ok(own(&user.namespace().unwrap_or_default(), &user.name_any()));
    };
    let reserved = name.starts_with("pg_") || ["public", "none"].contains(&name.as_str());
    let good = (1..=LONGEST).contains(&name.len()) && !name.contains('\0') && !reserved;
    if good { Ok(name.clone()) } else { Err(InvalidName(name.clone())) }
}

/// Names in Kubernetes have no underscore, so it separates them. A name that is too long ends in a hash of the whole name.
fn own(namespace: &str, name: &str) -> String {
    let whole = format!("{namespace}_{name}");
    if whole.len() <= LONGEST {
        return whole;
    }
    let hash: String = Sha256::digest(&whole).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    // Names in Kubernetes are ASCII.
    format!("{}_{hash}", whole.chars().take(LONGEST - 17).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(role: Option<&str>) -> PostgresUser {
        let mut user = PostgresUser::new("ada", crate::operator::PostgresUserSpec::default());
        user.metadata.namespace = Some("team-a".into());
        user.spec.role = role.map(Into::into);
        user
    }

    #[test]
    fn a_role_name_defaults_to_namespace_and_name() {
        assert_eq!(wanted(&user(None)).unwrap(), "team-a_ada");
        assert_eq!(wanted(&user(Some("Ada \"; DROP"))).unwrap(), "Ada \"; DROP");
    }

    #[test]
    fn long_names_are_truncated_and_stay_unique() {
        let (one, other) = (own("n", &"x".repeat(100)), own("n", &"x".repeat(101)));
        assert_eq!((one.len(), other.len()), (LONGEST, LONGEST));
        assert_ne!(one, other);
    }

    #[test]
    fn names_that_postgresql_rejects_or_truncates_are_refused() {
        for name in ["", "a\0b", "pg_root", "public", "none", &"ä".repeat(32)] {
            assert_eq!(wanted(&user(Some(name))), Err(InvalidName(name.into())));
        }
    }
}
