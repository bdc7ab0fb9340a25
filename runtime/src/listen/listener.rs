//! The socket of a listener.

use std::fmt;
#[cfg(any(test, feature = "cli"))]
use std::net::Ipv4Addr;
use std::net::SocketAddr;

use tokio::net::TcpListener;

/// Where to listen.
#[derive(Debug)]
pub(crate) enum Listener {
    /// An address to bind.
    At(SocketAddr),
    /// A bound socket.
    Bound(std::net::TcpListener),
}

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(address) => write!(f, "{address}"),
            Self::Bound(_) => f.write_str("the given socket"),
        }
    }
}

impl Listener {
    /// Binds the socket and logs its address.
    ///
    /// # Errors
    /// The address is in use or not permitted.
    pub(crate) async fn bind(self) -> std::io::Result<TcpListener> {
        let listener = match self {
            Self::At(address) => TcpListener::bind(address).await?,
            Self::Bound(listener) => {
                listener.set_nonblocking(true)?;
                TcpListener::from_std(listener)?
            }
        };
        tracing::info!(address = %listener.local_addr()?, "listening");
        Ok(listener)
    }
}

/// Parses an address, or a port on localhost.
#[cfg(any(test, feature = "cli"))]
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.trim_start_matches(':').parse() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    text.parse().map_err(|_| "write a port like 8080 to listen on loopback, or an address like 0.0.0.0:8080".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_without_host_binds_to_loopback() {
        for (text, wanted) in
            [("8080", "127.0.0.1:8080"), (":0", "127.0.0.1:0"), ("0.0.0.0:80", "0.0.0.0:80"), ("[::1]:9", "[::1]:9")]
        {
            assert_eq!(address(text).unwrap().to_string(), wanted);
        }
        assert!(address("everywhere").unwrap_err().contains("8080"));
    }
}
