//! The body of a response, which holds its stream.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::connection::Stream;

/// The body of a response. Its stream is free again when it is dropped.
pub(in crate::client) struct Streamed {
    body: Incoming,
    /// `None`: a response of HTTP/1.1.
    _stream: Option<Stream>,
}

impl Streamed {
    pub(super) fn alone(body: Incoming) -> Self {
        Self { body, _stream: None }
    }

    pub(super) fn over(body: Incoming, stream: Stream) -> Self {
        Self { body, _stream: Some(stream) }
    }
}

impl Body for Streamed {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
