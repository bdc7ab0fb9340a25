//! `--listen` in the examples that have a command line of their own.

#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn page(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

#[test]
fn the_debug_page_of_an_example_is_served() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let program = Command::new(env!("CARGO_BIN_EXE_podmanager"))
        .args(["--listen", &format!("127.0.0.1:{port}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _running = Running(program);
    let shown = (0..600).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        page(port, "/debug/objects?kind=PodManager").filter(|page| page.contains("1 of 1 objects"))
    });
    assert!(shown.is_some(), "the page never showed the PodManager");
    assert!(page(port, "/metrics").unwrap().contains("controller_runtime_reconcile_total"));
}

#[test]
fn the_help_of_each_example_names_the_listener() {
    for program in
        [env!("CARGO_BIN_EXE_gitrepository"), env!("CARGO_BIN_EXE_podmanager"), env!("CARGO_BIN_EXE_postgresuser")]
    {
        let output = Command::new(program).arg("--help").output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("--listen <ADDRESS>"), "{program}");
    }
}
