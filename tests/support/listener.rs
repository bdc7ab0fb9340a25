//! A client of the listener of an operator.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use evenkeel::Operator;
use serde_json::Value;

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The header lines.
    pub head: String,
    /// The body.
    pub body: String,
}

/// The operator, with a listener at this address.
///
/// # Panics
/// No port is free.
pub fn listening(operator: Operator) -> (Operator, SocketAddr) {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("it is bound");
    (operator.listen_on(socket), address)
}

/// Requests a page on a separate thread; a paused clock stops meanwhile.
///
/// # Panics
/// The listener does not answer.
pub async fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, request(path)).await
}

fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}

/// Sends a raw request.
///
/// # Panics
/// The listener does not answer.
pub async fn ask(address: SocketAddr, request: String) -> Answer {
    answered(&try_ask(address, request).await.expect("an answer"))
}

/// The same for a server that may not run yet; `None` if it does not answer.
///
/// # Panics
/// The answer is not one of HTTP.
pub async fn ask_if_up(address: SocketAddr, request: String) -> Option<Answer> {
    Some(answered(&try_ask(address, request).await.ok()?))
}

fn answered(answer: &str) -> Answer {
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

async fn try_ask(address: SocketAddr, request: String) -> io::Result<String> {
    let asked = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map(|_| answer)
    });
    asked.await.expect("no panic")
}

/// The samples of `/metrics`, with their labels in text form.
///
/// # Panics
/// The page is not available.
pub async fn samples(address: SocketAddr) -> BTreeMap<String, f64> {
    let answer = get(address, "/metrics").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let lines = answer.body.lines().filter(|line| !line.starts_with('#'));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    lines.map(sample).collect()
}

/// The objects of `/debug/objects` as JSON.
///
/// # Panics
/// The page is not available.
pub async fn objects(address: SocketAddr, query: &str) -> Vec<Value> {
    let answer = get(address, &format!("/debug/objects?format=json&{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    listed(&answer.body).expect("objects")
}

/// The same for an operator that may be starting or ending; `None` if it does not answer.
pub async fn objects_if_up(address: SocketAddr) -> Option<Vec<Value>> {
    let answer = try_ask(address, request("/debug/objects?format=json&limit=100000")).await.ok()?;
    listed(answer.split_once("\r\n\r\n")?.1)
}

fn listed(body: &str) -> Option<Vec<Value>> {
    let mut page: Value = serde_json::from_str(body).ok()?;
    page["objects"].as_array_mut().map(std::mem::take)
}
