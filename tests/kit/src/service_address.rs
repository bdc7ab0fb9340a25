//! Allocation of cluster IPs and node ports to services.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use serde_json::{Value, json};

use crate::lock::{Mutex, MutexGuard};
use crate::registry::{Kind, Storage};
use crate::schema::Cause;
use crate::store::{Key, Store};
use crate::strategy::{needs_address, needs_health_check, needs_port};

/// The network of cluster IPs and its size. The first and the last address are not allocated.
const NETWORK: (Ipv4Addr, u32) = (Ipv4Addr::new(10, 96, 0, 0), 1 << 16);

/// The first node port and the number of node ports.
const PORTS: (u32, u32) = (30_000, 2_768);

/// The allocated cluster IPs and node ports.
#[derive(Debug, Default)]
pub(crate) struct Addresses(Mutex<Book>);

#[derive(Debug, Default)]
struct Book {
    addresses: Range,
    ports: Range,
}

/// Numbers with the services to which they were last allocated.
///
/// The numbers of a deleted service are not released at once, but detected as free when they are requested.
#[derive(Debug, Default)]
struct Range {
    takers: HashMap<u32, Key>,
    last: u32,
}

/// The locked allocations during the write of a service, so that no other write can take a free number meanwhile.
pub(crate) struct Ledger<'a> {
    store: &'a Store,
    book: MutexGuard<'a, Book>,
}

impl Addresses {
    /// Locks the allocations for the write of a service; returns `None` for other kinds.
    pub(crate) fn open<'a>(&'a self, store: &'a Store, kind: &Kind) -> Option<Ledger<'a>> {
        let needed = kind.group.is_empty() && kind.kind == "Service";
        needed.then(|| Ledger { store, book: self.0.lock() })
    }
}

impl Ledger<'_> {
    /// Allocates the missing numbers that the type of a service requires, and rejects invalid ones.
    pub(crate) fn settle(&mut self, key: &Key, object: &mut Value) -> Result<(), Cause> {
        let spec = &mut object["spec"];
        if needs_address(spec) {
            self.address(key, spec)?;
            families(spec);
        }
        if needs_port(spec) && spec["allocateLoadBalancerNodePorts"] != false {
            self.ports(key, spec)?;
        }
        if needs_health_check(spec) {
            let wanted = spec["healthCheckNodePort"].as_u64().unwrap_or_default();
            spec["healthCheckNodePort"] = json!(self.port(key, wanted, "spec.healthCheckNodePort")?);
        }
        Ok(())
    }

    fn address(&mut self, key: &Key, spec: &mut Value) -> Result<(), Cause> {
        let first = u32::from(NETWORK.0);
        let wanted = spec["clusterIP"].as_str().unwrap_or_default().to_owned();
        let holds = |service: &Value, number: u32| service["spec"]["clusterIP"] == Ipv4Addr::from(number).to_string();
        let (store, range) = (self.store, &mut self.book.addresses);
        let refused = |why: &str| {
            let why = format!("failed to allocate IP {wanted}: {why}");
            Err(Cause::invalid("spec.clusterIPs", json!([wanted]), why))
        };
        if wanted == "None" {
            return Ok(());
        }
        if wanted.is_empty() {
            let free = range.next(store, key, (first + 1, NETWORK.1 - 2), holds);
            let Some(free) = free else { return refused("range is full") };
            let address = Ipv4Addr::from(free).to_string();
            (spec["clusterIP"], spec["clusterIPs"]) = (json!(address), json!([address]));
            return Ok(());
        }
        let number = wanted.parse::<Ipv4Addr>().ok().map(u32::from);
        let inside = number.filter(|number| (first + 1..first + NETWORK.1 - 1).contains(number));
        match inside {
            None => refused(&format!(
                "the provided IP ({wanted}) is not in the valid range. The range of valid IPs is {}/16",
                NETWORK.0
            )),
            Some(number) if range.take(store, key, number, holds) => Ok(()),
            Some(_) => refused("provided IP is already allocated"),
        }
    }

    /// Allocates node ports. Ports with the same number and different protocols share one node port.
    fn ports(&mut self, key: &Key, spec: &mut Value) -> Result<(), Cause> {
        let mut given: HashMap<i64, u32> = HashMap::new();
        for (at, port) in spec["ports"].as_array_mut().into_iter().flatten().enumerate() {
            let number = port["port"].as_i64().unwrap_or_default();
            let wanted = port["nodePort"].as_u64().filter(|wanted| *wanted != 0);
            let wanted = wanted.or_else(|| given.get(&number).map(|port| u64::from(*port))).unwrap_or_default();
            let found = self.port(key, wanted, &format!("spec.ports[{at}].nodePort"))?;
            port["nodePort"] = json!(found);
            given.insert(number, found);
        }
        Ok(())
    }

    /// Allocates the requested port, or a free one if it is 0.
    fn port(&mut self, key: &Key, wanted: u64, field: &str) -> Result<u32, Cause> {
        let holds = |service: &Value, number: u32| {
            let ports = service["spec"]["ports"].as_array().into_iter().flatten();
            let mut held = ports.map(|port| &port["nodePort"]).chain([&service["spec"]["healthCheckNodePort"]]);
            held.any(|port| *port == number)
        };
        let (store, range) = (self.store, &mut self.book.ports);
        if wanted == 0 {
            let full = || Cause::invalid(field, 0, "failed to allocate a nodePort: range is full");
            return range.next(store, key, PORTS, holds).ok_or_else(full);
        }
        let inside = u32::try_from(wanted).ok().filter(|port| (PORTS.0..PORTS.0 + PORTS.1).contains(port));
        let Some(port) = inside else {
            let why = "provided port is not in the valid range. The range of valid ports is 30000-32767";
            return Err(Cause::invalid(field, wanted, why));
        };
        let free = range.take(store, key, port, holds);
        free.then_some(port).ok_or_else(|| Cause::invalid(field, wanted, "provided port is already allocated"))
    }
}

/// Sets the default IP families: IPv4, or both for a headless service without a selector.
fn families(spec: &mut Value) {
    let open = spec["clusterIP"] == "None" && spec["selector"].as_object().is_none_or(serde_json::Map::is_empty);
    if spec["ipFamilyPolicy"].is_null() {
        spec["ipFamilyPolicy"] = json!(if open { "RequireDualStack" } else { "SingleStack" });
    }
    if spec["ipFamilies"].is_null() {
        let both = open && spec["ipFamilyPolicy"] != "SingleStack";
        spec["ipFamilies"] = if both { json!(["IPv4", "IPv6"]) } else { json!(["IPv4"]) };
    }
}

impl Range {
    /// Allocates the next free number of the range.
    fn next(
        &mut self,
        store: &Store,
        key: &Key,
        (first, count): (u32, u32),
        holds: impl Fn(&Value, u32) -> bool + Copy,
    ) -> Option<u32> {
        for step in 0..count {
            let number = first + (self.last + step) % count;
            if self.take_free(store, key, number, holds) {
                self.last = (number - first + 1) % count;
                return Some(number);
            }
        }
        None
    }

    /// Allocates a number if it is free.
    fn take_free(&mut self, store: &Store, key: &Key, number: u32, holds: impl Fn(&Value, u32) -> bool) -> bool {
        let free = self.takers.get(&number).is_none_or(|taker| !is_held(store, taker, number, holds));
        if free {
            self.takers.insert(number, key.clone());
        }
        free
    }

    /// Allocates a number if it is free or already belongs to this service.
    fn take(&mut self, store: &Store, key: &Key, number: u32, holds: impl Fn(&Value, u32) -> bool) -> bool {
        self.takers.get(&number) == Some(key) || self.take_free(store, key, number, holds)
    }
}

fn is_held(store: &Store, taker: &Key, number: u32, holds: impl Fn(&Value, u32) -> bool) -> bool {
    store.get(&Storage::new("", "services"), taker).is_some_and(|service| holds(&service, number))
}
