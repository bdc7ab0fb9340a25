//! Probes of an operator whose listener has hostile clients.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel_testkit::eventually;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, definition, widget};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// How many hostile sockets there are, from the address of the probe.
const SOCKETS: usize = 256;
/// How many probes have to be answered.
const PROBES: usize = 20;
/// How long a probe is waited for: shorter than what a silent client is given.
const PATIENCE: Duration = Duration::from_secs(8);

const REQUEST: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// What a hostile client does with its socket, until the listener closes it; then it connects anew.
#[derive(Clone, Copy, Debug)]
enum Hostile {
    Silent,
    HalfAHead,
    ByteByByte,
    PipelinesAndNeverReads,
    KeepsAlive,
    HalfClosed,
    HugeHead,
    NeverEndingBody,
}

const ALL: [Hostile; 8] = [
    Hostile::Silent,
    Hostile::HalfAHead,
    Hostile::ByteByByte,
    Hostile::PipelinesAndNeverReads,
    Hostile::KeepsAlive,
    Hostile::HalfClosed,
    Hostile::HugeHead,
    Hostile::NeverEndingBody,
];

impl Hostile {
    /// Ends when the socket is closed.
    async fn act(self, mut stream: TcpStream) -> std::io::Result<()> {
        match self {
            Self::Silent => closed(stream).await,
            Self::HalfAHead => {
                stream.write_all(&REQUEST[..30]).await?;
                closed(stream).await
            }
            Self::ByteByByte => {
                stream.write_all(b"GET / HTTP/1.1\r\nX: ").await?;
                self.drip(stream).await
            }
            Self::PipelinesAndNeverReads => loop {
                stream.write_all(REQUEST).await?;
            },
            Self::KeepsAlive => {
                stream.write_all(REQUEST).await?;
                closed(stream).await
            }
            Self::HalfClosed => {
                stream.write_all(&REQUEST[..30]).await?;
                stream.shutdown().await?;
                closed(stream).await
            }
            Self::HugeHead => {
                stream.write_all(b"GET / HTTP/1.1\r\n").await?;
                loop {
                    stream.write_all(b"X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n").await?;
                }
            }
            Self::NeverEndingBody => {
                stream.write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n").await?;
                self.drip(stream).await
            }
        }
    }

    async fn drip(self, mut stream: TcpStream) -> std::io::Result<()> {
        loop {
            stream.write_all(b"a").await?;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Never gives up. Counts itself once it has been connected.
    async fn attack(self, address: SocketAddr, connected: Arc<AtomicUsize>) {
        let mut first = true;
        loop {
            let Ok(stream) = TcpStream::connect(address).await else { continue };
            if std::mem::take(&mut first) {
                connected.fetch_add(1, Ordering::SeqCst);
            }
            let _ = self.act(stream).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn closed(mut stream: TcpStream) -> std::io::Result<()> {
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.map(drop)
}

/// The first line of the answer, as a probe gets it: on a connection of its own.
async fn probe(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: kube-probe/1.36\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

/// An operator that listens where as many may wait as like.
async fn listening(world: &World) -> (Running, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let socket = socket.listen(1024).unwrap().into_std().unwrap();
    let address = socket.local_addr().unwrap();
    (Running::start(world.prepare::<widget>(Lab::at("a")).listen_on(socket)), address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_probe_is_answered_whatever_other_clients_do() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let (operator, address) = listening(&world).await;
    let ready = || async { probe(address, "/readyz").await.is_ok_and(|line| line.contains("200")).then_some(()) };
    eventually(SOON, ready).await;
    for hostile in ALL {
        let (connected, mut attackers) = (Arc::new(AtomicUsize::new(0)), JoinSet::new());
        for _ in 0..SOCKETS {
            attackers.spawn(hostile.attack(address, connected.clone()));
        }
        eventually(SOON, || async { (connected.load(Ordering::SeqCst) == SOCKETS).then_some(()) }).await;
        for at in 0..PROBES {
            for path in ["/healthz", "/readyz"] {
                let line = tokio::time::timeout(PATIENCE, probe(address, path)).await;
                let line = line.unwrap_or_else(|_| panic!("{hostile:?}: {path} number {at} was not answered"));
                assert_eq!(
                    line.unwrap_or_else(|error| error.to_string()),
                    "HTTP/1.1 200 OK",
                    "{hostile:?} {at} {path}"
                );
            }
        }
        attackers.shutdown().await;
    }
    operator.stop().await.unwrap();
}
