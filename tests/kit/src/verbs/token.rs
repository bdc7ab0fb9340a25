//! POST of a TokenRequest: issues a bearer token that authenticates a client as a service account.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::decode;
use crate::api_error::{About, Failure, resource};
use crate::rbac::AUDIENCE;
use crate::registry::Storage;
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::Cause;
use crate::state::{Server, Token};
use crate::store::Key;
use crate::strategy::meta;

/// Token lifetimes in seconds: minimum, maximum and default.
const SECONDS: (i64, i64, i64) = (600, 1 << 32, 3600);

pub(super) fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    if call.method != http::Method::POST {
        return Err(Failure::method_not_allowed());
    }
    let (request, warnings) = read(call)?;
    let account = server.store.get(&call.kind.storage, &call.key(call.name()));
    let account = account.ok_or_else(|| Failure::not_found(resource(&call.kind, call.name())))?;
    let seconds = seconds(&request["spec"])?;
    let audiences = audiences(&request["spec"]);
    let mut bound = vec![(call.kind.storage.clone(), call.key(call.name()), meta(&account, "uid").to_owned())];
    bound.extend(bound_object(server, call, &request["spec"]["boundObjectRef"])?);
    let expires = server.clock.now().checked_add(SignedDuration::from_secs(seconds));
    let expires = expires.map_err(|error| Failure::internal(error.to_string()))?;
    let token =
        server.tokens.give(Token { account: call.key(call.name()), audiences: audiences.clone(), expires, bound });
    let mut spec = json!({"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": null});
    spec["boundObjectRef"] = request["spec"]["boundObjectRef"].clone();
    let metadata =
        json!({"name": call.name(), "namespace": call.target.space(), "creationTimestamp": server.clock.stamp()});
    let given = json!({"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "metadata": metadata,
        "spec": spec, "status": {"token": token, "expirationTimestamp": server.clock.stamp_in(seconds)}});
    Ok(Reply::value(201, &given).warning(warnings))
}

/// The TokenRequest, and warnings about unknown fields.
fn read(call: &Call) -> Result<(Value, Vec<String>), Failure> {
    let (request, mut complaints) = decode::body(call)?;
    let kind = request["kind"].as_str().unwrap_or("TokenRequest");
    if kind != "TokenRequest" {
        return Err(Failure::bad_request(format!("a {kind} is no TokenRequest")));
    }
    let known = ["audiences", "expirationSeconds", "boundObjectRef"];
    let unknown = request["spec"].as_object().into_iter().flatten().filter(|(name, _)| !known.contains(&name.as_str()));
    complaints.extend(unknown.map(|(name, _)| format!("unknown field \"spec.{name}\"")));
    let warnings = decode::settle(call, complaints)?;
    Ok((request, warnings))
}

fn seconds(spec: &Value) -> Result<i64, Failure> {
    let asked = &spec["expirationSeconds"];
    if asked.is_null() {
        return Ok(SECONDS.2);
    }
    let seconds = asked.as_i64();
    let seconds =
        seconds.ok_or_else(|| Failure::bad_request(format!("spec.expirationSeconds: {asked} is no number")))?;
    let why = match seconds {
        less if less < SECONDS.0 => "may not specify a duration less than 10 minutes",
        more if more > SECONDS.1 => "may not specify a duration larger than 2^32 seconds",
        _ => return Ok(seconds),
    };
    let about = About { group: "authentication.k8s.io", kind: "TokenRequest", name: "" };
    Err(Failure::invalid(about, &[Cause::invalid("spec.expirationSeconds", seconds, why)]))
}

fn audiences(spec: &Value) -> Vec<String> {
    let asked = spec["audiences"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let asked: Vec<String> = asked.map(str::to_owned).collect();
    if asked.is_empty() { vec![AUDIENCE.to_owned()] } else { asked }
}

/// The bound object, whose deletion invalidates the token.
fn bound_object(server: &Server, call: &Call, bound: &Value) -> Result<Option<(Storage, Key, String)>, Failure> {
    let text = |field: &str| bound[field].as_str().unwrap_or_default();
    let (plural, space) = match (text("apiVersion"), text("kind")) {
        _ if !bound.is_object() => return Ok(None),
        ("v1", "Pod") => ("pods", call.target.space()),
        ("v1", "Secret") => ("secrets", call.target.space()),
        ("v1", "Node") => ("nodes", ""),
        (version, kind) => {
            let (group, version) = version.split_once('/').unwrap_or(("", version));
            let why = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
            return Err(Failure::bad_request(why));
        }
    };
    let (storage, key) = (Storage::new("", plural), (space.to_owned(), text("name").to_owned()));
    let about = About { group: "", kind: plural, name: text("name") };
    let object = server.store.get(&storage, &key).ok_or_else(|| Failure::not_found(about))?;
    let (uid, wanted) = (meta(&object, "uid").to_owned(), text("uid"));
    if !wanted.is_empty() && wanted != uid {
        let why = format!(
            "the UID in the bound object reference ({wanted}) does not match the UID in record. The object might have been deleted and then recreated"
        );
        return Err(Failure::conflict(about, &why));
    }
    Ok(Some((storage, key, uid)))
}
