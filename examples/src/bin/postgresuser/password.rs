//! The Secret that a role's password is kept in: it is written before PostgreSQL learns the password, so that none is ever lost.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
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

/// The Secret as it is to be.
#[must_use]
pub fn secret(user: &PostgresUser, role: &str, password: &str) -> Secret {
    let entry = |key: &str, value: &str| (key.to_owned(), ByteString(value.as_bytes().to_vec()));
    let data = [("username", role), ("password", password), ("database", &user.spec.database)];
    let mut secret = Secret::default();
    secret.metadata.name = Some(secret_name(user));
    secret.data = Some(data.into_iter().map(|(key, value)| entry(key, value)).collect::<BTreeMap<_, _>>());
    secret
}

/// The password that a Secret holds.
#[must_use]
pub fn of(secret: &Secret) -> Option<String> {
    let password = secret.data.as_ref()?.get("password")?;
    String::from_utf8(password.0.clone()).ok().filter(|password| !password.is_empty())
}

/// Whether the Secret is this object's.
#[must_use]
pub fn is_of(secret: &Secret, user: &PostgresUser) -> bool {
    secret.owner_references().iter().any(|owner| Some(&owner.uid) == user.metadata.uid.as_ref())
}
