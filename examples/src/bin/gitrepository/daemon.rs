//! A git server over HTTP for tests: protocol version 2, one branch, shallow packs, no git program.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix::objs::Kind;
use gix::{ObjectId, Repository};

/// Access rule of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// Allows every client.
    Open,
    /// Requires a login.
    Locked,
}

/// Serves the repository at `folder` until the process ends; returns its URL.
pub(crate) fn serve(folder: &Path, door: Door) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/repository.git", listener.local_addr()?);
    let folder = folder.to_owned();
    std::thread::spawn(move || {
        // A client that disconnects early affects only its own connection.
        listener.incoming().flatten().for_each(|stream| drop(answer(stream, &folder, door)));
    });
    Ok(url)
}

fn answer(mut stream: TcpStream, folder: &PathBuf, door: Door) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let (mut length, mut header) = (0, String::new());
    while reader.read_line(&mut header)? > 2 {
        let lower = header.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        header.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (status, kind, content) = match door {
        Door::Locked => ("401 Unauthorized", "text/plain", Vec::new()),
        Door::Open if line.starts_with("GET ") => ("200 OK", "application/x-git-upload-pack-advertisement", greeting()),
        Door::Open => {
            ("200 OK", "application/x-git-upload-pack-result", reply(folder, &String::from_utf8_lossy(&body)))
        }
    };
    let length = content.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n")?;
    write!(stream, "WWW-Authenticate: Basic realm=\"test\"\r\n\r\n")?;
    stream.write_all(&content)
}

const FLUSH: &[u8] = b"0000";
const SECTION_END: &[u8] = b"0001";

fn packet(content: impl AsRef<[u8]>) -> Vec<u8> {
    let content = content.as_ref();
    [format!("{:04x}", content.len() + 4).as_bytes(), content].concat()
}

fn greeting() -> Vec<u8> {
    let lines = ["version 2\n", "agent=test\n", "ls-refs\n", "fetch=shallow\n", "object-format=sha1\n"];
    [packet("# service=git-upload-pack\n"), FLUSH.to_vec(), lines.map(packet).concat(), FLUSH.to_vec()].concat()
}

fn reply(folder: &PathBuf, request: &str) -> Vec<u8> {
    let repository = gix::open(folder).unwrap();
    let tip = repository.head_id().unwrap().detach();
    if request.contains("command=ls-refs") {
        let lines = [format!("{tip} HEAD symref-target:refs/heads/main\n"), format!("{tip} refs/heads/main\n")];
        return [lines.map(packet).concat(), FLUSH.to_vec()].concat();
    }
    let mut reply = Vec::new();
    if !request.contains("done") {
        reply.extend([packet("acknowledgments\n"), packet("ready\n"), SECTION_END.to_vec()].concat());
    }
    reply.extend([packet("shallow-info\n"), packet(format!("shallow {tip}\n")), SECTION_END.to_vec()].concat());
    reply.extend(packet("packfile\n"));
    for chunk in pack(&repository, tip).chunks(60_000) {
        reply.extend(packet([&[1_u8], chunk].concat()));
    }
    reply.extend(FLUSH);
    reply
}

/// Builds a pack of the commit, its trees and its blobs, without deltas.
fn pack(repository: &Repository, tip: ObjectId) -> Vec<u8> {
    let tree = repository.find_commit(tip).unwrap().tree().unwrap();
    let mut ids = vec![tip, tree.id];
    ids.extend(tree.traverse().breadthfirst.files().unwrap().into_iter().map(|entry| entry.oid));
    let mut pack =
        [b"PACK".as_slice(), &2_u32.to_be_bytes(), &u32::try_from(ids.len()).unwrap().to_be_bytes()].concat();
    for id in ids {
        let object = repository.find_object(id).unwrap();
        pack.extend(entry_header(object.kind, object.data.len()));
        let mut zlib = ZlibEncoder::new(&mut pack, Compression::default());
        zlib.write_all(&object.data).unwrap();
        zlib.finish().unwrap();
    }
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(&pack);
    pack.extend(hasher.try_finalize().unwrap().as_slice());
    pack
}

/// Encodes kind and size with seven bits per byte, four in the first byte.
fn entry_header(kind: Kind, mut size: usize) -> Vec<u8> {
    let kind: u8 = match kind {
        Kind::Commit => 1,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    };
    let low = |bits: usize| u8::try_from(bits).unwrap();
    let mut bytes = vec![kind << 4 | low(size & 0xf)];
    size >>= 4;
    while size > 0 {
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.push(low(size & 0x7f));
        size >>= 7;
    }
    bytes
}
