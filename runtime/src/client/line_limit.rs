//! The size limit of watch lines, and the detection of broken connections.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use memchr::{memchr, memrchr};
use tower::BoxError;

use super::filtered_body::BodyFilter;

/// The maximum length of a watch line, in bytes. A line contains one object. etcd accepts objects of up to 1.5 MiB by default. JSON that
/// escapes each character needs six times as many bytes.
pub(crate) const LINE: usize = 64 * 1024 * 1024;

/// Passes everything on until a line is too long.
#[derive(Debug, Default)]
pub(super) struct Bound {
    /// The number of bytes of the current line so far.
    length: usize,
}

/// A watch line is longer than the [limit](LINE).
#[derive(Debug)]
pub(crate) struct LineTooLong;

impl fmt::Display for LineTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a line of the watch, which holds one object, is longer than {} MiB", LINE >> 20)
    }
}

impl Error for LineTooLong {}

impl Bound {
    fn take_lines(&mut self, mut bytes: &[u8]) -> Result<(), LineTooLong> {
        while let Some(end) = memchr(b'\n', bytes) {
            self.take(end)?;
            self.length = 0;
            bytes = &bytes[end + 1..];
        }
        self.take(bytes.len())
    }

    fn take(&mut self, more: usize) -> Result<(), LineTooLong> {
        self.length += more;
        if self.length > LINE { Err(LineTooLong) } else { Ok(()) }
    }
}

impl BodyFilter for Bound {
    fn feed(&mut self, bytes: Bytes, ready: &mut VecDeque<Bytes>) -> Result<(), BoxError> {
        if self.length + bytes.len() <= LINE {
            // No line in these bytes is too long. The last one may continue in the next bytes.
            let end = memrchr(b'\n', &bytes);
            self.length = end.map_or(self.length + bytes.len(), |end| bytes.len() - end - 1);
        } else {
            self.take_lines(&bytes)?;
        }
        ready.push_back(bytes);
        Ok(())
    }
}

/// Whether the error is, or was caused by, a [`LineTooLong`], as opposed to an error of the connection.
pub(crate) fn is_too_long(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<LineTooLong>() {
            return true;
        }
        cause = match error.downcast_ref::<std::io::Error>() {
            // Its `source` skips the inner error and returns the source of that.
            Some(error) => error.get_ref().map(|inner| -> &(dyn Error + 'static) { inner }),
            None => error.source(),
        };
    }
    false
}

/// A body that reports a broken connection as an error. kube treats a connection that breaks during a watch as the end of the watch.
pub(super) struct Ending<B>(pub(super) B);

/// A broken connection.
#[derive(Debug)]
struct Cut(String);

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // kube distinguishes the end of a watch from an error by these words.
        f.write_str(&self.0.replace("unexpected EOF", "end of file"))
    }
}

impl Error for Cut {}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for Ending<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = std::task::ready!(Pin::new(&mut self.0).poll_frame(cx));
        let cut = |error: B::Error| Cut(super::chain(&*error.into())).into();
        Poll::Ready(frame.map(|frame| frame.map_err(cut)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(frames: &[usize]) -> Result<(), BoxError> {
        let (mut bound, mut ready) = (Bound::default(), VecDeque::new());
        let megabyte = Bytes::from(vec![b'x'; 1 << 20]);
        for megabytes in frames {
            for _ in 0..*megabytes {
                bound.feed(megabyte.clone(), &mut ready)?;
            }
            bound.feed(Bytes::from_static(b"\n"), &mut ready)?;
        }
        Ok(())
    }

    #[test]
    fn line_length_is_limited_but_not_watch_length() {
        assert!(fed(&[64, 64, 1]).is_ok());
        let error = fed(&[1, 65]).unwrap_err();
        assert!(is_too_long(&std::io::Error::other(kube::Error::Service(error))));
    }

    #[test]
    fn a_long_line_in_one_frame_fails() {
        let line = [vec![b'x'; LINE + 1], vec![b'\n']].concat();
        assert!(Bound::default().feed(line.into(), &mut VecDeque::new()).is_err());
    }
}
