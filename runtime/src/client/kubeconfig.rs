//! Clients for kubeconfigs that others may have written.

use kube::config::{AuthInfo, Cluster, KubeConfigOptions, Kubeconfig as File};
use kube::{Client, Config};

use super::connect::Connect;
use crate::api::Kubeconfig;

/// A client for the cluster of a kubeconfig, which `connect` builds. Nothing is sent.
///
/// A user who may write the kubeconfig could otherwise run programs in the container of the operator, read its files, or see its requests. So
/// entries for programs, files, proxies and unverified certificates are refused.
///
/// # Errors
/// The message names the entry and the cure, and contains nothing of the credentials.
pub(crate) async fn client_of(kubeconfig: &Kubeconfig, agent: &str, connect: Connect) -> Result<Client, String> {
    // The errors of the parser quote the text.
    let file = File::from_yaml(kubeconfig.text());
    let file = file.map_err(|_| "it is no kubeconfig in YAML or JSON".to_owned())?;
    check(&file)?;
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await;
    let config = config.map_err(|error| unusable(&error))?;
    connect(config, agent).map_err(|_| "its certificates or its credentials cannot be used".to_owned())
}

fn unusable(error: &kube::config::KubeconfigError) -> String {
    use kube::config::KubeconfigError as E;
    match error {
        E::CurrentContextNotSet => "it has no current-context".into(),
        E::LoadContext(name) => format!("it has no context {name}"),
        E::LoadClusterOfContext(name) => format!("it has no cluster {name}"),
        E::MissingClusterUrl => "its cluster has no server".into(),
        _ => "its server, its certificates or its credentials cannot be read".into(),
    }
}

fn check(file: &File) -> Result<(), String> {
    let users = file.auth_infos.iter().filter_map(|user| Some((&user.name, user.auth_info.as_ref()?)));
    for (name, user) in users {
        if let Some((entry, cure)) = refused_of_user(user) {
            return Err(format!("the user {name} has {entry}, which is not allowed; {cure}"));
        }
    }
    let clusters = file.clusters.iter().filter_map(|cluster| Some((&cluster.name, cluster.cluster.as_ref()?)));
    for (name, cluster) in clusters {
        if let Some((entry, cure)) = refused_of_cluster(cluster) {
            return Err(format!("the cluster {name} has {entry}, which is not allowed; {cure}"));
        }
    }
    Ok(())
}

type Refused = Option<(&'static str, &'static str)>;

fn first_of<const N: usize>(entries: [(bool, &'static str, &'static str); N]) -> Refused {
    entries.into_iter().find(|(is_there, ..)| *is_there).map(|(_, entry, cure)| (entry, cure))
}

fn refused_of_user(user: &AuthInfo) -> Refused {
    const TOKEN: &str = "give it a `token`, such as that of a service account";
    first_of([
        (user.exec.is_some(), "`exec`", TOKEN),
        (user.auth_provider.is_some(), "`auth-provider`", TOKEN),
        (user.token_file.is_some(), "`tokenFile`", TOKEN),
        (user.client_certificate.is_some(), "`client-certificate`", "use `client-certificate-data`"),
        (user.client_key.is_some(), "`client-key`", "use `client-key-data`"),
    ])
}

fn refused_of_cluster(cluster: &Cluster) -> Refused {
    const CA: &str = "use `certificate-authority-data`";
    first_of([
        (cluster.proxy_url.is_some(), "`proxy-url`", "leave it out"),
        (cluster.certificate_authority.is_some(), "`certificate-authority`", CA),
        (cluster.insecure_skip_tls_verify == Some(true), "`insecure-skip-tls-verify`", CA),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::configured;

    fn text(cluster: &str, user: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: k, cluster: {{{cluster}}}}}]\n\
             users: [{{name: u, user: {{{user}}}}}]\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n"
        )
    }

    async fn error(text: &str) -> String {
        client_of(&Kubeconfig::new(text), "test", configured).await.map(drop).unwrap_err()
    }

    const SERVER: &str = "server: 'http://127.0.0.1:1'";

    #[tokio::test]
    async fn programs_files_and_proxies_are_refused() {
        let program = "exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [/tmp/x], interactiveMode: Never}";
        for (cluster, user, entry) in [
            (SERVER, program, "`exec`"),
            (SERVER, "auth-provider: {name: gcp, config: {}}", "`auth-provider`"),
            (SERVER, "tokenFile: /etc/passwd", "`tokenFile`"),
            (SERVER, "client-certificate: /a", "`client-certificate`"),
            (SERVER, "client-key: /a", "`client-key`"),
            (&*format!("{SERVER}, proxy-url: 'http://b'"), "token: s3cret", "`proxy-url`"),
            (&*format!("{SERVER}, certificate-authority: /a"), "token: s3cret", "`certificate-authority`"),
            (&*format!("{SERVER}, insecure-skip-tls-verify: true"), "token: s3cret", "`insecure-skip-tls-verify`"),
        ] {
            let error = error(&text(cluster, user)).await;
            assert!(error.contains(entry) && error.contains("not allowed; "), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[tokio::test]
    async fn what_is_wrong_with_a_kubeconfig_is_named_without_its_content() {
        let good = text(SERVER, "token: s3cret");
        assert!(client_of(&Kubeconfig::new(&good), "test", configured).await.is_ok());
        for (text, part) in [
            (good.replace("current-context: c\n", ""), "current-context"),
            (good.replace("current-context: c", "current-context: d"), "no context d"),
            (good.replace("cluster: k,", "cluster: l,"), "no cluster l"),
            (good.replace(SERVER, ""), "no server"),
            (good.replace(SERVER, "server: 's3cret s3cret'"), "cannot be read"),
            (
                good.replace("token: s3cret", "client-certificate-data: s3cret, client-key-data: s3cret"),
                "cannot be used",
            ),
            ("s3cret".into(), "no kubeconfig"),
            (String::new(), "no current-context"),
        ] {
            let error = error(&text).await;
            assert!(error.contains(part) && !error.contains("s3cret"), "{part}: {error}");
        }
    }
}
