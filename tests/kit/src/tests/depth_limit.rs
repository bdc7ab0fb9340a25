//! Objects that are nested more deeply than the server can store.

use kube::Error;
use serde_json::json;

use super::widgets;
use crate::Cluster;

#[tokio::test]
async fn only_deep_fields_to_be_stored_are_rejected() {
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let body = format!(
        "{{\"apiVersion\":\"ex.dev/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"w\"}},\"spec\":{{\"size\":1,\"more\":{deep}}}}}"
    );
    for (keeps, wanted) in [(false, 201), (true, 501)] {
        let cluster = Cluster::start().await;
        let mut definition = widgets();
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-preserve-unknown-fields";
        let (parent, field) = spec.rsplit_once('/').unwrap();
        if keeps {
            definition.pointer_mut(parent).unwrap()[field] = json!(true);
        }
        cluster.seed(definition).await.unwrap();
        let request = http::Request::post("/apis/ex.dev/v1/namespaces/default/widgets").body(body.clone().into_bytes());
        let code = match cluster.client().request::<serde_json::Value>(request.unwrap()).await {
            Ok(object) => {
                assert_eq!(object["spec"]["more"], json!(null));
                201
            }
            Err(Error::Api(status)) => {
                assert!(status.message.contains("more than 127 levels"), "{}", status.message);
                status.code
            }
            Err(error) => panic!("{error}"),
        };
        assert_eq!(code, wanted);
    }
}
