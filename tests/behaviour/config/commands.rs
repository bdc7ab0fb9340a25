//! `doctor` checks the file, and `manifests` mounts it.

use super::*;

async fn doctor(file: &File) -> (u8, String) {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let settings = Live::<Settings>::default();
    let operator = world.prepare::<greeter>((settings.clone(), Lab::at("a"))).settings(&settings);
    let mut line = file.line(&[]);
    line.push("doctor".to_owned());
    let operator = operator.configured_by(line).await.unwrap();
    let mut out = Vec::new();
    let code = operator.look(["doctor"], &mut out).await.unwrap();
    (code, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn doctor_reports_the_file_with_line_and_column() {
    let file = File::with("settings: {greeting: Hello}\n");
    let (code, text) = doctor(&file).await;
    assert!(code == 0 && text.contains("config.yaml is valid"), "{text}");
    file.write("settings:\n  greting: Hello\n");
    let (code, text) = doctor(&file).await;
    let expected = "config.yaml:2:3: unknown field `settings.greting`\n        help: remove it";
    assert!(code == 1 && text.contains("FAIL") && text.contains(expected), "{text}");
}
