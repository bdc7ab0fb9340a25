//! One call at a time for each external account.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use evenkeel::prelude::*;
use tokio::sync::Semaphore;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

/// One permit for each account.
#[derive(Clone, Default)]
pub struct Accounts(Arc<Mutex<BTreeMap<String, Arc<Semaphore>>>>);

impl Accounts {
    fn of(&self, account: &str) -> Arc<Semaphore> {
        let mut accounts = self.0.lock().expect("no other thread panics");
        accounts.entry(account.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
    }
}

#[sub_reconciler(sets(on::Served), timeout = "2m")]
pub async fn serve(site: &Site, accounts: &Accounts, dns: &Dns, _cx: &mut Cx) -> Result<(), ServeError> {
    let account = accounts.of(&site.spec.account);
    let _permit = account.acquire().await;
    Ok(dns.put(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, accounts: &Accounts, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, accounts, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::world::{World, pass, site};

    /// Without the permit, all calls are made in the first second.
    #[tokio::test(start_paused = true)]
    async fn calls_of_one_account_follow_each_other_and_accounts_do_not_wait() {
        let sites = ["red", "red", "red", "blue"].iter().enumerate();
        let sites =
            sites.map(|(i, of)| site(&format!("shop-{i}"), &format!("{{host: {of}.example.com, account: {of}}}")));
        let (world, dns) = (World::with(sites.collect::<Vec<_>>().join("\n---\n")).await, Dns::default());
        dns.delay(Duration::from_secs(10));
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>((Accounts::default(), dns.clone())));
        pass(60).await;
        let at = |account: &str| {
            let calls = dns.calls().into_iter().zip(dns.seconds());
            calls.filter(|(call, _)| call.contains(account)).map(|(_, second)| second).collect::<Vec<_>>()
        };
        assert_eq!((at("red"), at("blue")), (vec![0, 10, 20], vec![0]));
    }
}
