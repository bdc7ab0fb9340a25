//! The Secret with the password of a role: it is written before PostgreSQL gets the password, so that no password is lost.

use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use rand::distr::{Alphanumeric, SampleString};

use crate::operator::PostgresUser;

/// 24 of 62 letters and digits: 142 bits.
const LENGTH: usize = 24;

/// Generates a new password.
#[must_use]
pub fn fresh() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), LENGTH)
}

/// Returns the name of the Secret.
#[must_use]
pub fn secret_name(user: &PostgresUser) -> String {
    user.spec.secret.clone().unwrap_or_else(|| format!("{}-postgres", user.name_any()))
}

/// Returns the password in a Secret.
#[must_use]
pub fn of(secret: &Secret) -> Option<String> {
    let password = secret.data.as_ref()?.get("password")?;
    String::from_utf8(password.0.clone()).ok().filter(|password| !password.is_empty())
}
