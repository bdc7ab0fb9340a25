//! GET of a container log: returns the text that a test has set.

use http::Method;
use serde_json::Value;

use crate::api_error::{About, Failure, resource};
use crate::query::decoded;
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::Cause;
use crate::state::Server;

/// The log options that this server supports.
#[derive(Debug, Default)]
struct Asked {
    container: String,
    tail: Option<i64>,
    limit: Option<i64>,
    /// Options that Kubernetes supports and this server does not.
    other: Vec<String>,
    causes: Vec<Cause>,
}

pub(super) fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    if call.method != Method::GET {
        return Err(Failure::method_not_allowed());
    }
    let asked = Asked::parse(&call.asked)?;
    if !asked.causes.is_empty() {
        let about = About { group: "", kind: "PodLogOptions", name: call.name() };
        return Err(Failure::invalid(about, &asked.causes));
    }
    let pod = server.store.get(&call.kind.storage, &call.key(call.name()));
    let pod = pod.ok_or_else(|| Failure::not_found(resource(&call.kind, call.name())))?;
    let container = container(call.name(), &pod, &asked.container)?;
    let text = server.texts.of([call.target.space(), call.name(), container]);
    match (text, asked.other.first()) {
        (None, _) if pod["spec"]["nodeName"].as_str().unwrap_or_default().is_empty() => Ok(Reply::empty()),
        (_, Some(other)) => Err(Failure::not_done(&format!("logs with {other}"))),
        (Some(text), None) => Ok(Reply::text(asked.cut(&text))),
        (None, None) => started(call.name(), &pod, container),
    }
}

impl Asked {
    fn parse(query: &str) -> Result<Self, Failure> {
        let mut asked = Asked::default();
        let mut since = 0;
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            let value = decoded(value);
            match name {
                "container" => asked.container = value,
                "tailLines" => asked.tail = Some(asked.number(name, &value, 0, "greater than or equal to 0")?),
                "limitBytes" => asked.limit = Some(asked.number(name, &value, 1, "greater than 0")?),
                "sinceSeconds" | "sinceTime" => {
                    if name == "sinceSeconds" {
                        asked.number(name, &value, 1, "greater than 0")?;
                    }
                    since += 1;
                    asked.other.push(name.to_owned());
                }
                "follow" | "previous" | "timestamps" if value == "true" || value == "1" => {
                    asked.other.push(name.to_owned());
                }
                _ => {}
            }
        }
        if since > 1 {
            let why = "at most one of `sinceTime` or `sinceSeconds` may be specified";
            asked.causes.push(Cause::forbidden("[]", why));
        }
        Ok(asked)
    }

    fn number(&mut self, name: &str, value: &str, least: i64, bound: &str) -> Result<i64, Failure> {
        let complaint = || Failure::bad_request(format!("strconv.ParseInt: parsing {value:?}: invalid syntax"));
        let number = value.parse().map_err(|_| complaint())?;
        if number < least {
            self.causes.push(Cause::invalid(name, number, format!("must be {bound}")));
        }
        Ok(number)
    }

    /// Applies `tailLines` first, then `limitBytes`.
    fn cut(&self, text: &str) -> Vec<u8> {
        let size = |number: i64| usize::try_from(number).unwrap_or_default();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let tail = self.tail.map_or(lines.len(), size).min(lines.len());
        let mut bytes = lines[lines.len() - tail..].concat().into_bytes();
        bytes.truncate(self.limit.map_or(bytes.len(), size));
        bytes
    }
}

/// The name of the requested container.
fn container<'a>(name: &str, pod: &'a Value, asked: &str) -> Result<&'a str, Failure> {
    let names = |list: &str| {
        let containers = pod["spec"][list].as_array().into_iter().flatten();
        containers.filter_map(|one| one["name"].as_str()).collect::<Vec<_>>()
    };
    let all = [names("initContainers"), names("containers"), names("ephemeralContainers")].concat();
    match names("containers").as_slice() {
        [only] if asked.is_empty() => Ok(only),
        _ if asked.is_empty() => {
            let choice = all.join(" ");
            let why = format!("a container name must be specified for pod {name}, choose one of: [{choice}]");
            Err(Failure::bad_request(why))
        }
        _ => {
            let found = all.into_iter().find(|one| *one == asked);
            found.ok_or_else(|| Failure::bad_request(format!("container {asked} is not valid for pod {name}")))
        }
    }
}

/// The response for a container without a log text: empty if it has started, otherwise an error.
fn started(name: &str, pod: &Value, container: &str) -> Result<Reply, Failure> {
    let lists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
    let mut statuses = lists.into_iter().flat_map(|list| pod["status"][list].as_array().into_iter().flatten());
    let state = statuses.find(|status| status["name"] == container).map_or(&Value::Null, |status| &status["state"]);
    if state["running"].is_object() || state["terminated"].is_object() {
        return Ok(Reply::text(Vec::new()));
    }
    let reason = state["waiting"]["reason"].as_str().unwrap_or("ContainerCreating");
    let why = format!("container {container:?} in pod {name:?} is waiting to start: {reason}");
    Err(Failure::bad_request(why))
}
