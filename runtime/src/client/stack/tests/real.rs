//! The fenced client and real API servers.

use std::path::PathBuf;

use http::Version;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::{Value, json};

use super::*;
use crate::clock::Reading;
use crate::leadership::Term;

/// Sends a request in a term of ten seconds, and returns the status and the body of the response.
async fn sent(client: &Client, method: &str, path: &str, media: &str, body: &str) -> (u16, Value) {
    let gate = Leadership::closed();
    gate.grant(Term { epoch: 1, renewed: Reading::now(), lasts: Duration::from_secs(10) });
    let request = Request::builder().method(method).uri(path).header("content-type", media);
    let mut request = request.body(Body::from(body.as_bytes().to_vec())).unwrap();
    request.extensions_mut().insert(FenceRule::Permit(gate.permit()));
    let (head, body) = client.send(request).await.unwrap().into_parts();
    let body = body.collect_bytes().await.unwrap();
    (head.status.as_u16(), serde_json::from_slice(&body).unwrap())
}

/// The clients of the servers that `tests/kit/real.sh` starts.
async fn clients() -> Vec<(Client, Version)> {
    let Some(folder) = std::env::var_os("EVENKEEL_REAL_APISERVER").map(PathBuf::from) else {
        eprintln!("skipped: EVENKEEL_REAL_APISERVER is not set, see tests/kit/real.sh");
        return Vec::new();
    };
    let mut clients = Vec::new();
    for name in ["kubeconfig-modern", "kubeconfig"] {
        let file = Kubeconfig::read_from(folder.join(name)).unwrap();
        let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
        let newest = if cfg!(feature = "http2") { Version::HTTP_2 } else { Version::HTTP_11 };
        for (versions, found) in [(Versions::All, newest), (Versions::Http1, Version::HTTP_11)] {
            clients.push((client(config.clone(), "fence-test", Writes::Fenced, versions).unwrap(), found));
        }
    }
    clients
}

#[tokio::test]
async fn real_servers_accept_fenced_writes() {
    for (client, version) in clients().await {
        let read = client.send(Request::get("/version").body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(read.version(), version);
        let name = format!("fence-{}", std::process::id());
        let maps = "/api/v1/namespaces/default/configmaps";
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"fence": name}}});
        let (json, apply) = ("application/json", "application/apply-patch+yaml");
        let one = format!("{maps}/{name}");
        let (status, created) = sent(&client, "POST", maps, json, &map.to_string()).await;
        assert_eq!(status, 201, "{created}");
        let (status, body) = sent(&client, "PUT", &one, json, &created.to_string()).await;
        assert_eq!(status, 200, "{body}");
        let (status, body) = sent(&client, "DELETE", &one, json, "").await;
        assert_eq!(status, 200, "{body}");
        let applied =
            sent(&client, "PATCH", &format!("{one}?fieldManager=m&force=true"), apply, &map.to_string()).await;
        assert_eq!(applied.0, 201, "{}", applied.1);
        // kube sends no body to delete a collection.
        let (status, body) = sent(&client, "DELETE", &format!("{maps}?labelSelector=fence%3D{name}"), json, "").await;
        assert_eq!(status, 200, "{body}");
        let (status, _) = sent(&client, "GET", &one, json, "").await;
        assert_eq!(status, 404);
    }
}
