//! A metric of one's own on the endpoint of the operator.

use std::net::TcpListener;

use evenkeel::prelude::*;
use evenkeel::prometheus_client::metrics::counter::Counter;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, dns: &Dns, records: &Counter, _cx: &mut Cx) -> Result<(), ServeError> {
    dns.put(&site.spec.host).await?;
    records.inc();
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, records: &Counter, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, records, cx).await?;
    Ok(())
}

pub fn operator(dns: Dns, socket: TcpListener) -> Operator {
    let records = Counter::default();
    let operator = Operator::new("cookbook").reconciler::<sites>((dns, records.clone())).listen_on(socket);
    operator.register_metrics(|registry| registry.register("shop_records", "DNS records that were created", records))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::world::{World, shop};

    /// Without `register_metrics`, the page has only the metrics of the framework.
    #[tokio::test]
    async fn the_counter_is_on_the_page_of_the_operator() {
        let world = World::with(shop("{host: a.example.com}")).await;
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let _running = world.run(operator(Dns::default(), socket));
        world.shows("Ready", "True Succeeded").await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).await.unwrap();
        assert!(page.contains("shop_records_total 1"), "{page}");
        assert!(page.contains("controller_runtime_reconcile_total"), "{page}");
    }
}
