//! A listener that asks for tokens, and one that others can reach.

mod auth;
mod files;
mod public;
mod tls;

use std::net::SocketAddr;

use evenkeel_tests::listener::{Answer, ask};

/// Requests a page with this token.
async fn get_with(address: SocketAddr, path: &str, token: Option<&str>) -> Answer {
    let token = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    ask(address, format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{token}Connection: close\r\n\r\n")).await
}
