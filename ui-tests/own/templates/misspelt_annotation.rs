use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/order");
    manifests.check().unwrap();
}
