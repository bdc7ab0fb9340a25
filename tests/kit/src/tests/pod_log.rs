//! Container logs: returns the text that a test has set, cut by the options.

use k8s_openapi::api::core::v1::Pod;
use kube::api::{LogParams, Patch, PatchParams, PostParams};
use kube::{Api, Error};
use serde_json::{Value, json};

use crate::Cluster;

async fn pod(cluster: &Cluster) -> Api<Pod> {
    let pods: Api<Pod> = Api::default_namespaced(cluster.client());
    let spec = json!({"nodeName": "n", "containers": [{"name": "c", "image": "i"}]});
    let pod = json!({"metadata": {"name": "p"}, "spec": spec});
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    pods
}

/// The log, or the error of the request.
async fn log(pods: &Api<Pod>, params: &LogParams) -> (u16, String) {
    match pods.logs("p", params).await {
        Ok(text) => (200, text),
        Err(Error::Api(status)) => (status.code, status.message),
        Err(error) => panic!("{error}"),
    }
}

async fn state(pods: &Api<Pod>, state: Value) {
    let status = json!({"name": "c", "image": "i", "imageID": "i", "ready": false, "restartCount": 0, "state": state});
    let patch = Patch::Merge(json!({"status": {"containerStatuses": [status]}}));
    pods.patch_status("p", &PatchParams::default(), &patch).await.unwrap();
}

#[tokio::test]
async fn a_log_is_cut_by_tail_lines_and_limit() {
    let cluster = Cluster::start().await;
    let pods = pod(&cluster).await;
    cluster.set_log("default", "p", "c", "one\ntwo\nthree\n");
    let asked = |tail_lines, limit_bytes| LogParams { tail_lines, limit_bytes, ..LogParams::default() };
    for (params, wanted) in [
        (asked(None, None), "one\ntwo\nthree\n"),
        (asked(Some(2), None), "two\nthree\n"),
        (asked(Some(9), None), "one\ntwo\nthree\n"),
        (asked(Some(0), None), ""),
        (asked(None, Some(5)), "one\nt"),
        (asked(Some(1), Some(3)), "thr"),
    ] {
        assert_eq!(log(&pods, &params).await, (200, wanted.to_owned()));
    }
    let follow = log(&pods, &LogParams { follow: true, ..LogParams::default() }).await;
    assert!(follow.0 == 501 && follow.1.contains("logs with follow"), "{follow:?}");
}

#[tokio::test]
async fn a_started_container_has_a_log() {
    let cluster = Cluster::start().await;
    let pods = pod(&cluster).await;
    let waits = |why: &str| (400, format!("container \"c\" in pod \"p\" is waiting to start: {why}"));
    assert_eq!(log(&pods, &LogParams::default()).await, waits("ContainerCreating"));
    state(&pods, json!({"waiting": {"reason": "ImagePullBackOff"}})).await;
    assert_eq!(log(&pods, &LogParams::default()).await, waits("ImagePullBackOff"));
    state(&pods, json!({"running": {}, "waiting": null})).await;
    assert_eq!(log(&pods, &LogParams::default()).await, (200, String::new()));
}
