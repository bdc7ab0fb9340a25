//! The conversion that is checked.

use evenkeel::conversion::{Converter, Ended, RegisteredSpoke, Spoke};
use evenkeel::rules::Registered;
use serde_json::Value;

use super::side::Side;

/// The domain of the annotation with the stash.
const DOMAIN: &str = "evenkeel.dev";

/// A conversion with both of its versions.
pub(super) struct Subject {
    /// The conversion, for messages.
    pub(super) name: String,
    pub(super) hub: Side,
    pub(super) spoke: Side,
    /// The paths that are lost on purpose.
    pub(super) lossy: Vec<Vec<String>>,
    pub(super) namespaced: bool,
    converter: Converter,
    /// The annotation with the stash.
    stash: String,
}

impl Subject {
    /// # Errors
    /// A CRD cannot be used, or a declared path does not exist.
    pub(super) fn new<S: Spoke>(rules: &[Registered]) -> Result<Self, String> {
        let registered = RegisteredSpoke::of::<S>();
        let (kind, wiring) = (registered.spoke.clone(), registered.wiring);
        let hub = Side::new(wiring.hub, [Some(wiring.spec.hub), wiring.status.map(|status| status.hub)], rules)?;
        let spoke =
            Side::new(wiring.spoke, [Some(wiring.spec.spoke), wiring.status.map(|status| status.spoke)], rules)?;
        let converter = Converter::new(vec![registered], DOMAIN)
            .map_err(|error| format!("{}\n  help: {}", error.headline, error.help))?;
        Ok(Self {
            name: format!("the conversion of {} ({})", kind.resource.kind, kind.resource.api_version),
            hub,
            spoke,
            lossy: converter.lossy(&kind.resource.version),
            namespaced: kind.namespaced,
            stash: format!("{DOMAIN}/hub.{}", kind.resource.version),
            converter,
        })
    }

    /// Converts to the stored version.
    pub(super) fn up(&self, spoke: &Value) -> Result<Value, String> {
        self.convert("up", spoke, &self.hub)
    }

    /// Converts to the served version.
    pub(super) fn down(&self, hub: &Value) -> Result<Value, String> {
        self.convert("down", hub, &self.spoke)
    }

    fn convert(&self, function: &str, object: &Value, to: &Side) -> Result<Value, String> {
        let name = &self.name;
        let given = |help: &str| format!("\n  object: {object}\n  help: {help}");
        let (converted, ended) = self
            .converter
            .convert_value(object, &to.api_version)
            .map_err(|why| format!("{name}: an object cannot be converted: {why}\n  object: {object}"))?;
        match ended {
            Ended::Panicked => {
                return Err(format!("{name}: `{function}` panics{}", given("return a default instead")));
            }
            Ended::Undecodable(why) => {
                let help = given("let the type accept what the conversion writes");
                return Err(format!("{name}: `{function}` gets an object that does not fit its type: {why}{help}"));
            }
            Ended::Converted => {}
        }
        let converted = to.stored(converted);
        self.check_metadata(function, object, &converted)?;
        match to.invalid(&converted) {
            None => Ok(converted),
            Some(cause) => {
                let help =
                    given("give both versions the same limits and rules, or convert such a value to a valid one");
                Err(format!("{name}: the result of `{function}` is invalid: {cause}\n  result: {converted}{help}"))
            }
        }
    }

    /// The API server ignores or refuses changes of metadata.
    fn check_metadata(&self, function: &str, before: &Value, after: &Value) -> Result<(), String> {
        let [before, after] = [before, after].map(|object| self.without_stash(object)["metadata"].clone());
        match before == after {
            true => Ok(()),
            false => Err(format!("{}: `{function}` changes metadata\n  before: {before}\n  after: {after}", self.name)),
        }
    }

    /// The object without the annotation of the stash.
    pub(super) fn without_stash(&self, object: &Value) -> Value {
        let mut object = object.clone();
        if let Some(annotations) = object["metadata"].get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(&self.stash);
            if annotations.is_empty() {
                object["metadata"].as_object_mut().map(|metadata| metadata.remove("annotations"));
            }
        }
        object
    }
}
