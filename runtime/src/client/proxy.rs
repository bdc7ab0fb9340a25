//! Connections through a proxy, as kube's own client makes them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use percent_encoding::percent_decode_str;

/// Connects through a SOCKS5 proxy.
pub(super) fn socks<C>(proxy: Uri, connector: C) -> SocksV5<C> {
    SocksV5::new(proxy, connector)
}

/// Connects through an HTTP proxy with CONNECT, and with the user and the password of its URL.
pub(super) fn tunnel<C>(proxy: &Uri, connector: C) -> Tunnel<C> {
    let tunnel = Tunnel::new(proxy.clone(), connector);
    match credentials(proxy) {
        Some(credentials) => tunnel.with_auth(credentials),
        None => tunnel,
    }
}

/// The header with the user and the password of the URL, where they are percent-encoded.
fn credentials(proxy: &Uri) -> Option<HeaderValue> {
    let (user, _) = proxy.authority()?.as_str().rsplit_once('@')?;
    let user: Vec<u8> = percent_decode_str(user).collect();
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(user))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_credentials_of_a_proxy_are_decoded() {
        let value = |url: &str| credentials(&url.parse().unwrap());
        assert_eq!(value("http://jane:a%40b@proxy:3128").unwrap(), format!("Basic {}", STANDARD.encode("jane:a@b")));
        assert_eq!(value("http://proxy:3128"), None);
    }
}
