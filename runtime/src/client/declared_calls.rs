//! The client that a step gets for calls of its own. It sends only the calls that the step declares, and writes only while this process
//! may write.

use std::fmt;

use futures::TryFutureExt;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use tokio::time::timeout;
use tower::layer::layer_fn;
use tower::{BoxError, Service, service_fn};

use super::answers::Answers;
use super::fence_rule::{Ended, FenceRule};
use super::middleware::{Calls, over_in};
use super::observed_call::{ANSWER, StepClient, observed};
use super::own_pod::OwnPod;
use super::request_info::{Line, Parts};
use crate::leadership::WritePermit;
use crate::queue::meter::CallMeter;
use crate::wiring::{How, Relation, Verb};

/// Subresources whose calls change something, whatever their method is.
const ACTING: [&str; 4] = ["exec", "attach", "portforward", "proxy"];

/// The step that sends the calls, and what it may send.
#[derive(Clone)]
pub(crate) struct DeclaredCalls {
    pub(crate) step: &'static str,
    pub(crate) relations: &'static [Relation],
    pub(crate) permit: WritePermit,
    pub(crate) answers: Answers,
    /// The Pod of this process, which the calls must not remove.
    pub(crate) own_pod: Option<&'static OwnPod>,
}

impl StepClient {
    /// A client for the calls that a step declares. Namespaced calls go to `namespace` by default.
    pub(crate) fn declared(&self, declared: &DeclaredCalls, namespace: &str) -> Client {
        let meter = self.meter.clone();
        let layer = layer_fn(|calls: Calls| {
            let (declared, meter) = (declared.clone(), meter.clone());
            service_fn(move |request| sent(declared.clone(), meter.clone(), calls.clone(), request))
        });
        over_in(&self.client, namespace, &layer)
    }
}

/// Sends one call, unless it must not be sent.
async fn sent(
    declared: DeclaredCalls,
    meter: CallMeter,
    mut calls: Calls,
    mut request: Request<Body>,
) -> Result<Response<Body>, BoxError> {
    let line = Line::of(&request);
    declared.check(&line)?;
    if acts(&line) {
        request.extensions_mut().insert(FenceRule::Permit(declared.permit.clone()));
    }
    let answer = in_time(calls.call(request).map_err(BoxError::from));
    let answer = observed(line, declared.step, &meter, answer).await;
    match &answer {
        Ok(answer) => declared.answers.record(answer.status(), answer.headers()),
        Err(error) if Ended::is_cause_of(&**error) => {}
        Err(_) => declared.answers.record_outage(),
    }
    answer
}

async fn in_time<T>(answer: impl Future<Output = Result<T, BoxError>>) -> Result<T, BoxError> {
    let no_answer = |_| format!("no response from the API server within {ANSWER:?}");
    timeout(ANSWER, answer).await.map_err(no_answer)?
}

/// The error of a call that the step does not declare, or that would remove the Pod of the operator. It was not sent.
#[derive(Debug)]
pub(crate) struct NotSent(String);

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotSent {}

#[cfg(feature = "dependents")]
impl NotSent {
    /// An error with this text.
    pub(super) const fn because(text: String) -> Self {
        Self(text)
    }
}

impl DeclaredCalls {
    /// Fails for a call that must not be sent.
    fn check(&self, line: &Line) -> Result<(), BoxError> {
        let parts = line.parts();
        let verb = line.rbac_verb();
        // Discovery and the version are open to everyone.
        if parts.plural.is_empty() && reads(verb) {
            return Ok(());
        }
        if !verb.is_some_and(|verb| self.of_kind(parts).any(|relation| permits(relation, verb, parts.subresource))) {
            return Err(NotSent(self.undeclared(line)).into());
        }
        if self.own_pod.is_some_and(|own| own.is_removed_by(line)) {
            let (step, pod) = (self.step, line.object());
            return Err(NotSent(format!(
                "the step `{step}` would remove the pod {pod}, in which this operator runs, and the call was not sent: \
                 exclude it from the selection, for example with `labels` or `filter`"
            ))
            .into());
        }
        match acts(line) && !self.permit.is_valid() {
            true => Err(Ended.into()),
            false => Ok(()),
        }
    }

    fn of_kind(&self, parts: Parts<'_>) -> impl Iterator<Item = &'static Relation> {
        self.relations.iter().filter(move |relation| {
            let kind = relation.kind.map(|kind| kind());
            kind.is_some_and(|kind| kind.resource.group == parts.group && kind.resource.plural == parts.plural)
        })
    }

    fn undeclared(&self, line: &Line) -> String {
        let (parts, step) = (line.parts(), self.step);
        let kind = self.of_kind(parts).find_map(|relation| relation.kind);
        let kind = kind.map_or_else(|| format!("<the kind of {}>", parts.plural), |kind| kind().resource.kind.clone());
        let verb = line.rbac_verb().map_or("other", Verb::as_str);
        let rule = match parts.subresource {
            "" => verb.to_owned(),
            subresource => format!("{subresource} = {verb}"),
        };
        let (resource, object) = (line.resource(), line.object());
        format!(
            "the step `{step}` may not {verb} {resource} {object}, and the call was not sent: \
             add `uses({kind}, {rule})` to its `#[sub_reconciler]`"
        )
    }
}

const fn reads(verb: Option<Verb>) -> bool {
    matches!(verb, Some(Verb::Get | Verb::List | Verb::Watch))
}

/// Whether the call changes something.
fn acts(line: &Line) -> bool {
    !reads(line.rbac_verb()) || ACTING.contains(&line.parts().subresource)
}

/// Whether the relation permits the call. Owned objects are written only by the methods of `Cx`, which check the owner.
fn permits(relation: &Relation, verb: Verb, subresource: &str) -> bool {
    match relation.how {
        How::Uses(calls) => {
            calls.iter().any(|call| call.verb == verb && call.subresource.unwrap_or_default() == subresource)
        }
        _ => subresource.is_empty() && relation.read_verbs().contains(&verb),
    }
}

#[cfg(test)]
mod tests {
    use http::{Method, StatusCode};
    use k8s_openapi::api::core::v1::{Pod, Secret};

    use super::*;
    use crate::leadership::Leadership;
    use crate::wiring::{DeclaredCall, KindInfo};

    const PODS: Option<fn() -> KindInfo> = Some(KindInfo::of::<Pod>);
    const DECLARED: &[Relation] = &[
        Relation::new(How::Reads, Some(KindInfo::of::<Secret>)),
        Relation::new(
            How::Uses(&[
                DeclaredCall::new(Verb::Create).on("eviction"),
                DeclaredCall::new(Verb::Get).on("exec"),
                DeclaredCall::new(Verb::Patch),
            ]),
            PODS,
        ),
    ];

    fn refusal(permit: &WritePermit, method: Method, uri: &str) -> Option<String> {
        let request = Request::builder().method(method).uri(uri).body(()).unwrap();
        let own_pod = Some(&*Box::leak(Box::new(OwnPod::new("a", "own"))));
        let (permit, answers) = (permit.clone(), Answers::default());
        let declared = DeclaredCalls { step: "evict", relations: DECLARED, permit, answers, own_pod };
        declared.check(&Line::of(&request)).err().map(|error| error.to_string())
    }

    #[test]
    fn only_declared_calls_are_sent() {
        let gate = Leadership::open();
        let permit = gate.permit();
        for (method, uri, sent) in [
            (Method::POST, "/api/v1/namespaces/a/pods/p/eviction", true),
            (Method::GET, "/api/v1/namespaces/a/pods/p/exec?command=ls", true),
            (Method::PATCH, "/api/v1/namespaces/a/pods/p", true),
            (Method::GET, "/api/v1/namespaces/a/secrets/s", true),
            (Method::GET, "/version", true),
            (Method::GET, "/apis/apps/v1", true),
            (Method::GET, "/api/v1/namespaces/a/secrets", false),
            (Method::DELETE, "/api/v1/namespaces/a/pods/p", false),
            (Method::DELETE, "/api/v1/namespaces/a/pods", false),
            (Method::PATCH, "/api/v1/namespaces/a/pods/p/status", false),
            (Method::POST, "/apis/metrics.k8s.io/v1/namespaces/a/pods/p/eviction", false),
            (Method::POST, "/version", false),
        ] {
            assert_eq!(refusal(&permit, method.clone(), uri).is_none(), sent, "{method} {uri}");
        }
    }

    #[tokio::test]
    async fn an_upgraded_connection_is_handed_on() {
        // As hyper hands on the connection of `exec` and `portforward`.
        #[derive(Clone)]
        struct Connection;
        let server = service_fn(async |_: Request<Body>| {
            let mut answer = Response::new(Body::empty());
            *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
            answer.extensions_mut().insert(Connection);
            Ok::<_, BoxError>(answer)
        });
        let (permit, answers) = (Leadership::open().permit(), Answers::default());
        let declared = DeclaredCalls { step: "look", relations: DECLARED, permit, answers, own_pod: None };
        let client = StepClient::new(Client::new(server, "a"), CallMeter::default()).declared(&declared, "a");
        let exec = Request::get("/api/v1/namespaces/a/pods/p/exec?command=ls").body(Body::empty()).unwrap();
        let answer = client.send(exec).await.unwrap();
        assert_eq!(answer.status(), StatusCode::SWITCHING_PROTOCOLS);
        assert!(answer.extensions().get::<Connection>().is_some());
    }

    #[test]
    fn an_undeclared_call_is_refused_with_the_declaration_to_add() {
        let gate = Leadership::open();
        let refused = refusal(&gate.permit(), Method::GET, "/api/v1/namespaces/a/pods/p/log").unwrap();
        let wanted = "the step `evict` may not get pods/log a/p, and the call was not sent: \
            add `uses(Pod, log = get)` to its `#[sub_reconciler]`";
        assert_eq!(refused, wanted);
        let uri = "/apis/apps/v1/namespaces/a/deployments/d";
        let refused = refusal(&gate.permit(), Method::DELETE, uri).unwrap();
        assert!(refused.contains("add `uses(<the kind of deployments>, delete)`"), "{refused}");
    }

    #[test]
    fn the_pod_of_the_operator_is_not_removed() {
        let gate = Leadership::open();
        let refused = refusal(&gate.permit(), Method::POST, "/api/v1/namespaces/a/pods/own/eviction").unwrap();
        assert!(refused.contains("the pod a/own, in which this operator runs"), "{refused}");
    }

    #[test]
    fn a_write_needs_a_permit_and_a_read_does_not() {
        let gate = Leadership::open();
        let permit = gate.permit();
        gate.close();
        for (method, uri, sent) in [
            (Method::POST, "/api/v1/namespaces/a/pods/p/eviction", false),
            (Method::GET, "/api/v1/namespaces/a/pods/p/exec?command=ls", false),
            (Method::GET, "/api/v1/namespaces/a/secrets/s", true),
        ] {
            assert_eq!(refusal(&permit, method, uri).is_none(), sent, "{uri}");
        }
    }
}
