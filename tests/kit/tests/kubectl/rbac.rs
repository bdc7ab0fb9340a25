//! Sessions on RBAC: allowed and denied commands, and `kubectl auth can-i`.

use evenkeel_testkit::Cluster;

use crate::Verdict;
use crate::shell::{Shell, has, same};

crate::sessions!(
    without_rbac_everything_is_allowed,
    a_user_has_the_permissions_of_a_role,
    a_service_account_gets_bound_roles,
    can_i_lists_the_rules_of_a_user,
);

async fn without_rbac_everything_is_allowed() -> Verdict {
    let shell = Shell::open().await?;
    same(&shell.ok("auth can-i create pods").await?, "yes")?;
    same(&shell.ok("auth can-i get pods --as jane").await?, "yes")
}

async fn a_user_has_the_permissions_of_a_role() -> Verdict {
    let shell = Shell::beside(Cluster::builder().rbac()).await?;
    same(&shell.ok("auth can-i '*' '*'").await?, "yes")?;
    same(shell.fails("auth can-i get configmaps --as jane").await?.trim(), "no")?;
    let refused = shell.fails("get configmaps --as jane").await?;
    let text = r#"Error from server (Forbidden): configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default""#;
    same(&refused, text)?;
    shell.ok("create role reader --verb=get,list --resource=configmaps").await?;
    shell.ok("create rolebinding jane --role=reader --user=jane").await?;
    same(&shell.ok("auth can-i list configmaps --as jane").await?, "yes")?;
    shell.ok("get configmaps --as jane").await?;
    has(&shell.fails("get configmaps -n kube-system --as jane").await?, &["Forbidden"])?;
    has(&shell.fails("create configmap a --as jane").await?, &[r#"User "jane" cannot create resource "configmaps""#])
}

async fn a_service_account_gets_bound_roles() -> Verdict {
    let shell = Shell::beside(Cluster::builder().rbac()).await?;
    shell.ok("create clusterrole all-maps --verb=* --resource=configmaps").await?;
    shell.ok("create rolebinding robot --clusterrole=all-maps --serviceaccount=default:robot").await?;
    let robot = "--as system:serviceaccount:default:robot";
    shell.ok(&format!("create configmap a {robot}")).await?;
    has(&shell.fails(&format!("get configmaps -A {robot}")).await?, &["at the cluster scope"])?;
    shell.ok("create clusterrolebinding robots --clusterrole=all-maps --group=system:serviceaccounts").await?;
    shell.ok(&format!("get configmaps -A {robot}")).await.map(|_| ())
}

async fn can_i_lists_the_rules_of_a_user() -> Verdict {
    let shell = Shell::beside(Cluster::builder().rbac()).await?;
    shell.ok("create role reader --verb=get --resource=configmaps --resource-name=a").await?;
    shell.ok("create rolebinding jane --role=reader --user=jane").await?;
    let rules = shell.ok("auth can-i --list --as jane").await?;
    has(
        &rules,
        &[
            "configmaps [] [a] [get]",
            "selfsubjectaccessreviews.authorization.k8s.io [] [] [create]",
            "[/version] [] [get]",
        ],
    )
}
