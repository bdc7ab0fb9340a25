//! Where and as whom a step acts.

use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;

use crate::api::{Identity, Kubeconfig, StepSite};

/// The keys of a Secret under which a kubeconfig is looked for.
const KEYS: [&str; 3] = ["value", "value.yaml", "value.yml"];

/// Where and as whom the calls of a step act.
///
/// A step has one with the argument `site = ..`, which names an `async fn` of the object and the context of the step. It runs before the step,
/// before the cleanup of the step, and before its dependents are deleted.
///
/// The calls that the step sends have the rights of the user; the API server checks them. Watches, and with them what a step reads from
/// their caches, have the rights of the operator. So has the status.
///
/// ```ignore
/// async fn place(shop: &Shop, _: &mut Cx<'_, install>) -> Result<Site, ShopError> {
///     Ok(Site::here().service_account(&shop.spec.service_account_name))
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Site {
    namespace: Option<String>,
    user: Option<User>,
    groups: Vec<String>,
    /// Whether the operator deletes what the user may not delete any more.
    last_resort: bool,
    /// The kubeconfig of another cluster, or why there is none.
    kubeconfig: Option<Result<Kubeconfig, String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum User {
    Named(String),
    ServiceAccount(String),
}

impl Site {
    /// The namespace of the component, with the rights of the operator.
    pub fn here() -> Self {
        Self::default()
    }

    /// The cluster of a kubeconfig, with the rights of its user. The Secret has the kubeconfig under the key `value`, `value.yaml` or
    /// `value.yml`, as for Flux.
    ///
    /// The step reads the Secret with [`Cx::get`](crate::Cx::get), so that a change of it triggers a pass. Entries that would run a program in
    /// the container of the operator, read one of its files or use a proxy are refused, and so are connections without verified certificates.
    ///
    /// Watches of that cluster have the rights of the same user, who needs `list` and `watch` on the kinds of the set in all namespaces, and
    /// `get` on the Namespace `kube-system`, whose uid identifies the cluster. The operator itself reads that Namespace of its own cluster.
    /// Objects that the step reads with `watches(..)` are those of the operator's cluster. A cluster that no component uses is closed after
    /// 15 minutes.
    ///
    /// ```ignore
    /// async fn place(shop: &Shop, cx: &mut Cx<'_, install>) -> Result<Site, ShopError> {
    ///     let secret = cx.require::<Secret>(&shop.spec.kubeconfig).await?;
    ///     Ok(Site::kubeconfig(&secret))
    /// }
    /// ```
    pub fn kubeconfig(secret: &Secret) -> Self {
        let data = secret.data.as_ref();
        let found = KEYS.iter().find_map(|key| data?.get(*key));
        let name = secret.name_any();
        let kubeconfig = match found.map(|bytes| std::str::from_utf8(&bytes.0)) {
            Some(Ok(text)) => Ok(Kubeconfig::new(text)),
            Some(Err(_)) => Err(format!("the kubeconfig in the Secret {name} is no text")),
            None => Err(format!("the Secret {name} has none of the keys {}", KEYS.join(", "))),
        };
        Self { kubeconfig: Some(kubeconfig), ..Self::default() }
    }

    /// Sets the namespace of objects that name none, and of the service account. Default: the namespace of the component.
    ///
    /// Do not take it from the spec as it is: a user who may write the object could then act as the service accounts of other namespaces.
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        Self { namespace: Some(namespace.into()), ..self }
    }

    /// Acts as this service account.
    ///
    /// The operator needs the verb `impersonate` on it; `rbac` prints the rule.
    pub fn service_account(self, name: impl Into<String>) -> Self {
        Self { user: Some(User::ServiceAccount(name.into())), ..self }
    }

    /// Acts as this user.
    ///
    /// The operator needs the verb `impersonate` on the user, and on each of its [`groups`](Self::groups). `rbac` does not print these rules: a
    /// role that may impersonate every user may do everything. Name the users in `resourceNames`.
    pub fn user(self, name: impl Into<String>) -> Self {
        Self { user: Some(User::Named(name.into())), ..self }
    }

    /// Sets groups of the user. The API server adds `system:authenticated`.
    pub fn groups(self, groups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { groups: groups.into_iter().map(Into::into).collect(), ..self }
    }

    /// Lets the operator delete the dependents of a deleted component that the user may not delete any more.
    ///
    /// Without it, a component whose namespace is being deleted waits until the user has the right again, if the service account or the binding
    /// of its role is deleted first. The operator then needs `delete` on the kinds of the set itself, which `rbac` does not print, as it does not run this
    /// function.
    pub fn last_resort_operator(self) -> Self {
        Self { last_resort: true, ..self }
    }

    /// The namespace of objects that name none, for a component in this namespace.
    pub(super) fn namespace_for<'a>(&'a self, component: Option<&'a str>) -> Option<&'a str> {
        self.namespace.as_deref().or(component)
    }

    /// Where and as whom the calls of a step act, for a component in this namespace.
    ///
    /// # Errors
    /// The message names what is wrong, and the cure.
    pub(super) fn of_step(&self, component: Option<&str>) -> Result<StepSite, String> {
        let user = self.identity(component)?;
        match (&self.kubeconfig, user) {
            (Some(_), Some(_)) => {
                Err("it has a kubeconfig, which names its own user, and another user; leave one out".into())
            }
            (Some(kubeconfig), None) => kubeconfig.clone().map(StepSite::Elsewhere),
            (None, Some(user)) => Ok(StepSite::HereAs { user, last_resort: self.last_resort }),
            (None, None) => Ok(StepSite::Here),
        }
    }

    /// The user, for a component in this namespace; `None`: the operator itself.
    ///
    /// # Errors
    /// The message names what is wrong, and the cure.
    pub(crate) fn identity(&self, component: Option<&str>) -> Result<Option<Identity>, String> {
        let namespace = self.namespace_for(component);
        if let Some(namespace) = self.namespace.as_deref().filter(|name| !is_dns_name(name)) {
            return Err(format!("\"{namespace}\" is no name of a namespace"));
        }
        let user = match &self.user {
            None if self.groups.is_empty() => return Ok(None),
            None => return Err("it has groups, but no user; name one with `user`".into()),
            Some(User::Named(user)) if user.is_empty() => return Err("the name of the user is empty".into()),
            Some(User::Named(user)) => user.clone(),
            Some(User::ServiceAccount(name)) if !is_dns_name(name) => {
                return Err(format!("\"{name}\" is no name of a service account"));
            }
            Some(User::ServiceAccount(name)) => {
                let none = || {
                    format!(
                        "the service account {name} has no namespace, since the component has none; name it with `namespace`"
                    )
                };
                format!("system:serviceaccount:{}:{name}", namespace.ok_or_else(none)?)
            }
        };
        let unfit = || "the name of the user or of a group has a character that no header may have".to_owned();
        Identity::new(user, self.groups.clone()).map(Some).ok_or_else(unfit)
    }
}

/// Whether the text is a DNS subdomain, as names of namespaces and of service accounts are. With a `:` or a `/` it would name another user.
fn is_dns_name(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_ok = |part: &str| part.starts_with(is_inner) && part.ends_with(is_inner);
    text.len() <= 253 && text.split('.').all(is_ok) && text.chars().all(|c| is_inner(c) || c == '-' || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(site: &Site, namespace: Option<&str>) -> Result<Option<String>, String> {
        let user = site.identity(namespace)?;
        Ok(user.map(|user| user.user().to_owned()))
    }

    #[test]
    fn a_service_account_is_of_the_namespace_of_the_site_or_of_the_component() {
        let site = Site::here().service_account("deployer");
        assert_eq!(user(&site, Some("team-a")), Ok(Some("system:serviceaccount:team-a:deployer".into())));
        let elsewhere = site.clone().namespace("shared");
        assert_eq!(user(&elsewhere, Some("team-a")), Ok(Some("system:serviceaccount:shared:deployer".into())));
        assert_eq!(elsewhere.namespace_for(Some("team-a")), Some("shared"));
        let error = user(&site, None).unwrap_err();
        assert!(error.contains("deployer") && error.contains("`namespace`"), "{error}");
        assert_eq!(user(&Site::here(), Some("team-a")), Ok(None));
    }

    #[test]
    fn a_name_that_would_name_another_user_is_refused() {
        for name in ["", "a:b", "kube-system:admin", "a/b", "A", "-a", "a-", "a..b", "a\n", &"a".repeat(254)] {
            assert!(user(&Site::here().service_account(name), Some("team-a")).is_err(), "{name}");
            assert!(user(&Site::here().namespace(name).service_account("x"), Some("team-a")).is_err(), "{name}");
            assert!(user(&Site::here().namespace(name), Some("team-a")).is_err(), "{name}");
        }
        for name in ["a", "a-b", "a.b", "0"] {
            assert!(user(&Site::here().service_account(name), Some("team-a")).is_ok(), "{name}");
        }
        for site in [
            Site::here().user(""),
            Site::here().groups(["x"]),
            Site::here().user("a\r\nImpersonate-Group: system:masters"),
            Site::here().user("jane").groups(["a\nb"]),
        ] {
            assert!(user(&site, None).is_err(), "{site:?}");
        }
        let jane = Site::here().user("jane").groups(["devs", "ops"]).identity(None).unwrap().unwrap();
        assert_eq!((jane.user(), jane.groups()), ("jane", &["devs".to_owned(), "ops".to_owned()][..]));
    }
}
