//! An API server in memory, for development: writes a file `kubeconfig`, and runs until Ctrl-C.

use evenkeel_testkit::Cluster;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let cluster = Cluster::start().await;
    let server = cluster.serve().await?;
    server.write_kubeconfig("kubeconfig")?;
    println!("export KUBECONFIG=$PWD/kubeconfig");
    tokio::signal::ctrl_c().await
}
