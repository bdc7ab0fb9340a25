//! A change of the settings reaches the steps that read them, and no others.

use std::os::unix::fs::symlink;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_change_of_the_settings_runs_the_steps_that_read_them() {
    let case = Case::start("settings: {greeting: Hello}\n", &["a", "b"]).await;
    case.lab.until_logged(&["Hello a", "Hello b"]).await;
    case.file.write("# a comment\nsettings:\n  greeting: Hello\n");
    looked().await;
    assert_eq!(case.lab.log(), [""; 0], "the values are the same");
    case.file.write("settings: {greeting: Hi}\n");
    looked().await;
    case.lab.until_logged(&["Hi a"]).await;
    assert_eq!(case.lab.log(), [""; 0], "the others follow within a minute");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(case.lab.log(), ["Hi b"]);
    assert_eq!(case.logs.with(&["was read again", "changed=\"settings\""]).len(), 1);
    case.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_with_other_settings_runs_the_steps_and_with_the_same_none() {
    let case = Case::start("settings: {greeting: Hello}\n", &["a"]).await;
    case.lab.until_logged(&["Hello a"]).await;
    case.running.stop().await.unwrap();
    let (running, _) = run(&case.world, &case.lab, &case.file).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(case.lab.log(), [""; 0]);
    running.stop().await.unwrap();
    case.file.write("settings: {greeting: Hi}\n");
    let (running, _) = run(&case.world, &case.lab, &case.file).await;
    case.lab.until_logged(&["Hi a"]).await;
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn steps_that_do_not_read_the_settings_do_not_run_again() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("a", json!({}))).await;
    let (lab, file) = (Lab::at("a"), File::with("settings: {greeting: Hello}\n"));
    let settings = Live::<Settings>::default();
    let operator = world.prepare::<ignorer>(lab.clone()).settings(&settings);
    let running = Running::start(operator.configured_by(file.line(&[])).await.unwrap());
    lab.until_logged(&["a"]).await;
    file.write("settings: {greeting: Hi}\n");
    looked().await;
    assert_eq!(settings.now().greeting, "Hi");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(lab.log(), [""; 0]);
    running.stop().await.unwrap();
}

/// As the kubelet mounts a ConfigMap: the file is a link through `..data`, which is replaced.
#[tokio::test(start_paused = true)]
async fn a_replaced_link_is_a_change() {
    let case = Case::start("settings: {greeting: Hello}\n", &["a"]).await;
    case.lab.until_logged(&["Hello a"]).await;
    let folder = case.file.folder.path();
    let version = |name: &str, text: &str| {
        std::fs::create_dir(folder.join(name)).unwrap();
        std::fs::write(folder.join(name).join("config.yaml"), text).unwrap();
        symlink(name, folder.join("..data_tmp")).unwrap();
        std::fs::rename(folder.join("..data_tmp"), folder.join("..data")).unwrap();
    };
    version("..1", "settings: {greeting: Hello}\n");
    std::fs::remove_file(case.file.path()).unwrap();
    symlink("..data/config.yaml", case.file.path()).unwrap();
    looked().await;
    version("..2", "settings: {greeting: Hi}\n");
    looked().await;
    case.lab.until_logged(&["Hi a"]).await;
    assert_eq!(case.rejections(), [""; 0]);
    case.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_change_that_needs_a_restart_is_logged_once_with_its_keys() {
    let case = Case::start("totalConcurrency: 4\n", &[]).await;
    case.file.write("totalConcurrency: 5\nnamespace: team-b\n");
    for _ in 0..3 {
        looked().await;
    }
    let lines = case.logs.with(&["need a restart", "keys=\"namespace, totalConcurrency\""]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(case.metric("evenkeel_config_pending").await, 2.0);
    case.file.write("totalConcurrency: 4\n");
    looked().await;
    assert_eq!(case.metric("evenkeel_config_pending").await, 0.0);
    case.stop().await;
}
