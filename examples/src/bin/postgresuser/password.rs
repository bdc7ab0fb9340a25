//! The Secret that a role's password is kept in: it is written before PostgreSQL learns the password, so that none is ever lost.

use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use rand::distr::{Alphanumeric, SampleString};

use crate::operator::PostgresUser;

/// 24 of 62 letters and digits: 142 bits.
const LENGTH: usize = 24;

/// A new password.
#[must_use]
pub fn fresh() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), LENGTH)
}

/// The name of the Secret.
#[must_use]
pub fn secret_name(user: &PostgresUser) -> String {
    user.spec.secret.clone().unwrap_or_else(|| format!("{}-postgres", user.name_any()))
}

/// The password that a Secret holds.
#[must_use]
pub fn of(secret: &Secret) -> Option<String> {
    let password = secret.data.as_ref()?.get("password")?;
    String::from_utf8(password.0.clone()).ok().filter(|password| !password.is_empty())
}
