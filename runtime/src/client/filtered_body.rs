//! A body that passes its data through a filter.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use tower::BoxError;

/// A filter for data as it arrives.
pub(super) trait BodyFilter: Unpin {
    /// Takes the bytes that arrived, and appends the bytes that are ready.
    ///
    /// # Errors
    /// The response is invalid, and no more of it is read.
    fn feed(&mut self, bytes: Bytes, ready: &mut VecDeque<Bytes>) -> Result<(), BoxError>;

    /// The remaining bytes at the end of the body.
    fn rest(&mut self) -> Option<Bytes> {
        None
    }
}

/// `None` passes everything on unchanged.
impl<F: BodyFilter> BodyFilter for Option<F> {
    fn feed(&mut self, bytes: Bytes, ready: &mut VecDeque<Bytes>) -> Result<(), BoxError> {
        match self {
            Some(filter) => filter.feed(bytes, ready)?,
            None => ready.push_back(bytes),
        }
        Ok(())
    }

    fn rest(&mut self) -> Option<Bytes> {
        self.as_mut()?.rest()
    }
}

/// The filtered body.
pub(super) struct Filtered<B, F> {
    inner: B,
    filter: F,
    ready: VecDeque<Bytes>,
}

impl<B, F> Filtered<B, F> {
    pub(super) fn new(inner: B, filter: F) -> Self {
        Self { inner, filter, ready: VecDeque::new() }
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin, F: BodyFilter> Body for Filtered<B, F> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Self { inner, filter, ready } = &mut *self;
        loop {
            if let Some(bytes) = ready.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            match std::task::ready!(Pin::new(&mut *inner).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => {
                        if let Err(refused) = filter.feed(bytes, ready) {
                            return Poll::Ready(Some(Err(refused)));
                        }
                    }
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                None => return Poll::Ready(filter.rest().map(|bytes| Ok(Frame::data(bytes)))),
                Some(Err(failed)) => return Poll::Ready(Some(Err(failed.into()))),
            }
        }
    }
}
