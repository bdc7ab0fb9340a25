//! The shard selector of lists and watches, for which kube has no parameter.

use http::{Request, Uri};
use kube::Client;
use kube::client::Body;
use tower::util::MapRequestLayer;

use super::middleware::over;

/// Wraps a client for lists and watches of the objects in one shard.
///
/// An API server without the feature gate `ShardedListAndWatch` ignores the parameter, so the caller checks each object.
pub(crate) fn in_shard(client: &Client, selector: &str) -> Client {
    // Queries may contain all other characters of a selector.
    let parameter = format!("shardSelector={}", selector.replace(' ', "%20"));
    let add = move |mut request: Request<Body>| {
        if let Ok(uri) = with_parameter(request.uri(), &parameter) {
            *request.uri_mut() = uri;
        }
        request
    };
    over(client, &MapRequestLayer::new(add))
}

fn with_parameter(uri: &Uri, parameter: &str) -> Result<Uri, http::Error> {
    let query = match uri.query() {
        Some(query) if !query.is_empty() => format!("{}?{query}&{parameter}", uri.path()),
        _ => format!("{}?{parameter}", uri.path()),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(query.parse()?);
    Ok(Uri::from_parts(parts)?)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;
    use crate::uid_shard::UidShard;

    #[test]
    fn the_selector_is_added_to_the_query() {
        let shard = UidShard { index: 1, of: NonZeroU16::new(2).unwrap() };
        let parameter = format!("shardSelector={}", shard.selector().replace(' ', "%20"));
        for (uri, separator) in [
            ("/api/v1/pods", '?'),
            ("/api/v1/pods?", '?'),
            ("/api/v1/pods?limit=1&continue=a%3D", '&'),
            ("https://10.0.0.1:6443/api/v1/pods?watch=true", '&'),
        ] {
            let sent = with_parameter(&uri.parse().unwrap(), &parameter).unwrap().to_string();
            assert_eq!(sent, format!("{}{separator}{parameter}", uri.trim_end_matches('?')));
        }
    }
}
