//! The programs that are built: the example `hello` and its hand-written counterpart `plain`, with one kind and with several.

use std::fmt::Write as _;

/// The sources of a program, in evenkeel and hand-written.
pub(crate) struct Programs {
    /// The example `hello` without the command line, which `plain` does not have.
    hello: String,
    plain: String,
}

const GROUP: &str = "demo.evenkeel.dev";
const LOG: &str = "tracing_subscriber::fmt().with_writer(std::io::stderr).init();";

impl Programs {
    pub(crate) fn new(hello: &str, plain: &str) -> Self {
        let started = format!("{LOG}\n    Operator::new");
        let hello = hello.replace("Operator::new", &started).replace(".run_cli()", ".run()");
        assert!(hello.contains(".run()"), "hello.rs is another one");
        Self { hello, plain: plain.to_owned() }
    }

    /// The program in evenkeel, with this many copies of the kind and its reconciler.
    pub(crate) fn ours(&self, kinds: usize) -> String {
        if kinds == 1 {
            return self.hello.clone();
        }
        let one = |at: usize| {
            let body = renamed(&body(&self.hello), at);
            body.replace("fn greeting(", &format!("fn greeting{at}("))
        };
        let reconcilers: String = (0..kinds).map(|at| format!(".reconciler::<k{at}::greeting{at}>(())")).collect();
        let start = format!("evenkeel::Operator::new(\"greeter\"){reconcilers}.run().await");
        program(kinds, one, &format!("async fn main() -> evenkeel::Result<()> {{\n    {LOG}\n    {start}\n}}\n"))
    }

    /// The program in evenkeel with one kind, for several replicas.
    pub(crate) fn replicas(&self) -> String {
        self.hello.replace(".run()", ".replicas().run()")
    }

    /// The hand-written program, with this many copies of the kind and its controller.
    pub(crate) fn hand(&self, kinds: usize) -> String {
        if kinds == 1 {
            return self.plain.clone();
        }
        let runs: String = (0..kinds).map(|at| format!("Box::pin(k{at}::run(client.clone())) as Run, ")).collect();
        let start = format!(
            "type Run = std::pin::Pin<Box<dyn Future<Output = ()>>>;\n    let client = kube::Client::try_default().await?;\n    \
            futures::future::join_all([{runs}]).await;\n    Ok(())"
        );
        let one = |at| renamed(&body(&self.plain), at);
        program(kinds, one, &format!("async fn main() -> kube::Result<()> {{\n    {LOG}\n    {start}\n}}\n"))
    }
}

/// The items between the attributes of the file and its `main`.
fn body(code: &str) -> String {
    let (items, _) = code.split_once("#[tokio::main]").expect("the program has a main");
    items.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#![")).fold(
        String::new(),
        |mut all, line| {
            all += line;
            all.push('\n');
            all
        },
    )
}

/// The kind under another name, in a group of its own.
fn renamed(code: &str, at: usize) -> String {
    let code = code.replace(GROUP, &format!("k{at}.evenkeel.dev")).replace("Greeting", &format!("Greeting{at}"));
    assert!(code.contains(&format!("Greeting{at}Status")), "the kind has another name");
    code
}

/// One module for each copy, and the `main`.
fn program(kinds: usize, one: impl Fn(usize) -> String, main: &str) -> String {
    let mut code = "#![allow(missing_docs, unreachable_pub, reason = \"a program\")]\n".to_owned();
    for at in 0..kinds {
        let _ = writeln!(code, "mod k{at} {{\n{}}}", one(at));
    }
    code + "#[tokio::main]\n" + main
}
