//! Named futures for the calls of a step: a call that is not allowed is then one compiler error instead of three.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use kube::core::DynamicObject;

use crate::api::{ApiError, BoxFuture};
use crate::dependency::NotReady;
use crate::pipeline::step::Absent;

macro_rules! call_future {
    ($(#[$doc:meta])* $name:ident<K> = $output:ty) => {
        $(#[$doc])*
        #[must_use = "futures do nothing unless awaited"]
        pub struct $name<'a, K>(pub(in crate::pipeline) BoxFuture<'a, $output>);

        impl<K> Future for $name<'_, K> {
            type Output = $output;

            fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
                self.0.as_mut().poll(cx)
            }
        }

        impl<K> std::fmt::Debug for $name<'_, K> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

call_future!(
    /// The future of [`Cx::require`](crate::Cx::require).
    Require<K> = Result<K, Absent<K>>
);
call_future!(
    /// The future of [`Cx::require_ready`](crate::Cx::require_ready).
    RequireReady<K> = Result<K, NotReady<K>>
);
call_future!(
    /// The future of [`Cx::get`](crate::Cx::get), and of `get` in a review of writes.
    Get<K> = Result<Option<K>, ApiError>
);
call_future!(
    /// The future of [`Cx::list`](crate::Cx::list) and [`Cx::owned`](crate::Cx::owned).
    List<K> = Result<K, ApiError>
);

/// The future of [`Cx::delete`](crate::Cx::delete).
#[must_use = "futures do nothing unless awaited"]
pub struct Delete<'a>(pub(super) BoxFuture<'a, Result<(), ApiError>>);

impl Future for Delete<'_> {
    type Output = Result<(), ApiError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl std::fmt::Debug for Delete<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Delete")
    }
}

/// The text of a target, for messages, and its object after the call.
pub(super) type Applied = (String, Arc<DynamicObject>);

/// The future of [`Cx::apply`](crate::Cx::apply).
#[must_use = "futures do nothing unless awaited"]
pub struct Apply<'a, K> {
    // The call is the same for all kinds, so that it is compiled once; only `decode` depends on the kind.
    pub(super) call: BoxFuture<'a, Result<Applied, ApiError>>,
    pub(super) decode: fn(&Applied) -> Result<K, ApiError>,
}

impl<K> Future for Apply<'_, K> {
    type Output = Result<K, ApiError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.call.as_mut().poll(cx).map(|applied| (self.decode)(&applied?))
    }
}

impl<K> std::fmt::Debug for Apply<'_, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Apply")
    }
}
