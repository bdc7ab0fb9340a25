use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/printed");
    manifests.check().unwrap();
}
