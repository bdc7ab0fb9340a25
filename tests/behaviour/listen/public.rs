//! The pages of a listener that others can reach.

use std::net::TcpListener;

use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, definition, widget};

use super::*;

async fn start(world: &World, protects: bool) -> (Running, SocketAddr) {
    let socket = TcpListener::bind("0.0.0.0:0").unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], socket.local_addr().unwrap().port()));
    let operator = world.prepare::<widget>(Lab::at("a")).listen_on(socket);
    (Running::start(if protects { operator.listen_auth() } else { operator }), address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debug_pages_are_closed_to_others_without_tokens() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let (running, address) = start(&world, false).await;
    for path in ["/debug/objects", "/debug/objects?format=json"] {
        let answer = get_with(address, path, None).await;
        assert!(answer.status == 403 && answer.body.contains("`--listen-auth`"), "{answer:?}");
    }
    assert_eq!(get_with(address, "/metrics", None).await.status, 200);
    assert_eq!(get_with(address, "/healthz", None).await.status, 200);
    running.stop().await.unwrap();
    let (running, address) = start(&world, true).await;
    for path in ["/debug/objects", "/metrics"] {
        assert_eq!(get_with(address, path, None).await.status, 401, "{path}");
    }
    assert_eq!(get_with(address, "/healthz", None).await.status, 200);
    running.stop().await.unwrap();
}
