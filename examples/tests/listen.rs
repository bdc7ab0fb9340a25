//! `--listen` in the examples that have a command line of their own.

#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
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

/// The port in the line of the log that names the listener.
fn port(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("127.0.0.1:")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|_| line.contains("listening"))
}

#[test]
fn the_debug_page_of_an_example_is_served() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_podmanager"))
        .args(["--listen", "127.0.0.1:0"])
        .env("RUST_LOG", "evenkeel=info")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(program.stderr.take().unwrap());
    let _running = Running(program);
    let mut lines = log.lines().map_while(Result::ok);
    let port = lines.by_ref().find_map(|line| port(&line)).expect("the log names the port");
    // A full pipe would block the program, so the rest of its log is read and dropped.
    std::thread::spawn(move || lines.for_each(drop));
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
