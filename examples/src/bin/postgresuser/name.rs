//! The name of a role.

use kube::ResourceExt;
use sha2::{Digest, Sha256};

use crate::operator::PostgresUser;

/// PostgreSQL cuts off what is longer, in bytes.
const LONGEST: usize = 63;

/// The name is none that PostgreSQL takes.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the role {0:?} is no name: it takes 1 to 63 bytes without NUL, and not `public`, `none` or `pg_..`")]
pub struct InvalidName(String);

/// The role that the object asks for; without a wish, one of namespace and name, which no other object has.
///
/// # Errors
/// PostgreSQL would not take it, or would cut it.
pub fn wanted(user: &PostgresUser) -> Result<String, InvalidName> {
    let Some(name) = &user.spec.role else {
        return Ok(own(&user.namespace().unwrap_or_default(), &user.name_any()));
    };
    let reserved = name.starts_with("pg_") || ["public", "none"].contains(&name.as_str());
    let good = (1..=LONGEST).contains(&name.len()) && !name.contains('\0') && !reserved;
    if good { Ok(name.clone()) } else { Err(InvalidName(name.clone())) }
}

/// Names of Kubernetes hold no underscore, so that it separates them. One that is too long ends in a hash of the whole.
fn own(namespace: &str, name: &str) -> String {
    let whole = format!("{namespace}_{name}");
    if whole.len() <= LONGEST {
        return whole;
    }
    let hash: String = Sha256::digest(&whole).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    // Names of Kubernetes are ASCII.
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
    fn a_role_is_called_as_wished_else_by_namespace_and_name() {
        assert_eq!(wanted(&user(None)).unwrap(), "team-a_ada");
        assert_eq!(wanted(&user(Some("Ada \"; DROP"))).unwrap(), "Ada \"; DROP");
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let (one, other) = (own("n", &"x".repeat(100)), own("n", &"x".repeat(101)));
        assert_eq!((one.len(), other.len()), (LONGEST, LONGEST));
        assert_ne!(one, other);
    }

    #[test]
    fn names_that_postgresql_would_refuse_or_cut_are_refused() {
        for name in ["", "a\0b", "pg_root", "public", "none", &"ä".repeat(32)] {
            assert_eq!(wanted(&user(Some(name))), Err(InvalidName(name.into())));
        }
    }
}
