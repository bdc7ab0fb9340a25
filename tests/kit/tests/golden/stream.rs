//! An open watch; a background task receives its lines until a step collects them.

use std::time::Duration;

use futures::StreamExt;
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// One watch stream of a case.
pub(crate) struct Stream(UnboundedReceiver<Value>);

/// The next event of a stream within a timeout.
pub(crate) enum Next {
    Event(Value),
    End,
    Silence,
}

impl Stream {
    pub(crate) fn open(body: Body) -> Self {
        let (lines, events) = unbounded_channel();
        tokio::spawn(read(body, lines));
        Self(events)
    }

    pub(crate) async fn next(&mut self, patience: Duration) -> Next {
        match tokio::time::timeout(patience, self.0.recv()).await {
            Ok(Some(event)) => Next::Event(event),
            Ok(None) => Next::End,
            Err(_) => Next::Silence,
        }
    }
}

async fn read(body: Body, lines: UnboundedSender<Value>) {
    let mut chunks = body.into_data_stream();
    let mut held = Vec::new();
    while let Some(Ok(chunk)) = chunks.next().await {
        held.extend_from_slice(&chunk);
        while let Some(end) = held.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = held.drain(..=end).collect();
            if lines.send(parse(&line)).is_err() {
                return;
            }
        }
    }
    if !held.is_empty() {
        // The receiver may be dropped, if no step reads the stream any more.
        let _ = lines.send(parse(&held));
    }
}

/// The bytes as JSON, or as a string if they are not JSON.
pub(crate) fn parse(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(bytes).into_owned()))
}
