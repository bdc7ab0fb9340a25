//! The page of objects: search, state, links, refresh, and what a real browser makes of it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::listener::{get, listening, objects};
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, status_of, widget};
use serde_json::json;

use super::undecodable::{create, lax, oddity};

/// An operator with a ready, a stalled and an undecodable object.
async fn start() -> (World, Running, SocketAddr) {
    let world = World::within(Cluster::start().await);
    world.install(&definition()).await;
    world.install(&lax()).await;
    create(&world, "odd", json!("hidden-value")).await;
    let operator = world.prepare::<widget>(Lab::at("a")).reconciler::<oddity>(());
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    world.create::<Widget>(a_widget("web", json!({ "child": "web" }))).await;
    world.create::<Widget>(a_widget("broken", json!({ "fetch": "invalid" }))).await;
    world.until::<Widget>("web", "ready", is_ready).await;
    world.until::<Widget>("broken", "stalled", |o| status_of(o, "Stalled") == "True").await;
    eventually(SOON, || async { (objects(address, "state=undecodable").await.len() == 1).then_some(()) }).await;
    (world, running, address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_is_searched_and_links_to_each_object() {
    let (_world, operator, address) = start().await;
    for (query, names) in [
        ("", vec!["odd", "broken", "web"]),
        ("search=WEB", vec!["web"]),
        ("search=is+not+valid", vec!["broken"]),
        ("search=widget&state=not-ready", vec!["broken"]),
        ("search=nothing+like+it", vec![]),
        ("state=not-ready", vec!["odd", "broken"]),
        ("state=undecodable", vec!["odd"]),
    ] {
        let found = objects(address, query).await;
        let found: Vec<&str> = found.iter().map(|object| object["name"].as_str().unwrap()).collect();
        assert_eq!(found, names, "{query}");
    }
    let page = get(address, "/debug/objects?search=widget&state=not-ready&refresh=5").await.body;
    assert!(page.contains("<h1>1 of 1 objects</h1>") && page.contains("http-equiv=refresh content=5"), "{page}");
    let itself = "/debug/objects?kind=Widget&amp;namespace=default&amp;name=broken&amp;refresh=5";
    assert!(page.contains(itself), "{page}");
    let one = get(address, &itself.replace("&amp;", "&")).await;
    assert_eq!(one.status, 200);
    assert!(one.body.contains("<h1>1 of 1 objects</h1>") && one.body.contains("Stalled is True: "), "{}", one.body);
    assert_eq!(get(address, "/debug/objects?state=other").await.status, 400);
    operator.stop().await.unwrap();
}

/// The browser of the distribution, if it is installed.
fn browser() -> Option<PathBuf> {
    let found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    found.into_iter().find(|path| path.exists())
}

/// Runs the browser without a window and without any host but this one. Returns its output and its log.
fn browse(browser: &Path, arguments: &[&str], url: &str) -> (String, String) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"])
        .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
        .arg(format!("--user-data-dir={}", home.path().display()))
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_shows_the_page_without_complaints() {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: chromium is not installed; the page is not tried in a browser");
        return;
    };
    let (_world, operator, address) = start().await;
    let url = format!("http://127.0.0.1:{}/debug/objects", address.port());
    let tried = tokio::task::spawn_blocking(move || {
        let (shown, log) = browse(&browser, &["--dump-dom"], &url);
        pictures(&browser, &url);
        (shown, log)
    });
    let (shown, log) = tried.await.unwrap();
    assert!(shown.contains("3 of 3 objects") && shown.contains("the widget is not valid"), "{shown}{log}");
    // A refused style, an unknown element or a request to another host would be in the log of the console.
    assert!(!log.contains("CONSOLE"), "{log}");
    operator.stop().await.unwrap();
}

/// Takes the pictures of the documentation: a wide screen, and a narrow one in the dark.
fn pictures(browser: &Path, url: &str) {
    let folder = match std::env::var_os("GENERATED").is_some_and(|value| value == "overwrite") {
        true => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")),
        false => tempfile::tempdir().unwrap().keep(),
    };
    for (name, size, dark) in [("debug-page.png", "1100,560", "1"), ("debug-page-narrow.png", "500,1000", "0")] {
        let file = folder.join(name);
        let (screenshot, size) = (format!("--screenshot={}", file.display()), format!("--window-size={size}"));
        let scheme = format!("--blink-settings=preferredColorScheme={dark}");
        let (_, log) = browse(browser, &[&screenshot, &size, &scheme], url);
        assert!(std::fs::metadata(&file).is_ok_and(|file| file.len() > 1_000), "{log}");
    }
}
