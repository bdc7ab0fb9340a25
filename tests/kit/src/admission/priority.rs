//! Priority admission of new pods and priority classes.

use serde_json::{Value, json};

use crate::api_error::{Failure, resource};
use crate::registry::Storage;
use crate::request_context::Call;
use crate::state::Server;
use crate::strategy::{SYSTEM_PRIORITIES, meta};

/// Completes or rejects a new object. The added fields have no field owner.
pub(crate) fn new(server: &Server, call: &Call, object: &mut Value) -> Result<(), Failure> {
    match (call.kind.group.as_str(), call.kind.kind.as_str()) {
        ("", "Pod") => prioritized(server, object),
        ("scheduling.k8s.io", "PriorityClass") => single_default(server, object),
        _ => Ok(()),
    }
    .map_err(|why| Failure::forbidden(resource(&call.kind, meta(object, "name")), &why))
}

fn classes(server: &Server) -> Vec<std::sync::Arc<Value>> {
    server.store.list(&Storage::new("scheduling.k8s.io", "priorityclasses"), None).items
}

/// Returns the global default class; of several, the one with the lowest priority.
fn default_class(server: &Server) -> Option<std::sync::Arc<Value>> {
    let marked = classes(server).into_iter().filter(|class| class["globalDefault"] == true);
    marked.min_by_key(|class| class["value"].as_i64())
}

/// Returns the priority and the preemption policy of a class.
fn of_class(server: &Server, name: &str) -> Result<(i64, String), String> {
    if let Some((_, value)) = SYSTEM_PRIORITIES.iter().find(|(own, _)| *own == name) {
        return Ok((*value, "PreemptLowerPriority".to_owned()));
    }
    let storage = Storage::new("scheduling.k8s.io", "priorityclasses");
    let class = server.store.get(&storage, &(String::new(), name.to_owned()));
    let class = class.ok_or_else(|| format!("no PriorityClass with name {name} was found"))?;
    Ok((class["value"].as_i64().unwrap_or_default(), class["preemptionPolicy"].as_str().unwrap_or_default().to_owned()))
}

fn prioritized(server: &Server, pod: &mut Value) -> Result<(), String> {
    let spec = &mut pod["spec"];
    if spec["priorityClassName"].as_str().unwrap_or_default().is_empty()
        && let Some(class) = default_class(server)
    {
        spec["priorityClassName"] = json!(meta(&class, "name"));
    }
    let (value, policy) = match spec["priorityClassName"].as_str().unwrap_or_default() {
        "" => (0, "PreemptLowerPriority".to_owned()),
        name => of_class(server, name)?,
    };
    let why = |what: &str, computed: &str| {
        let by = "must not be provided in pod spec; priority admission controller computed";
        Err(format!("the {what} {by} {computed} from the given PriorityClass name"))
    };
    match spec["priority"].as_i64() {
        Some(given) if given != value => {
            return why(&format!("integer value of priority ({given})"), &value.to_string());
        }
        _ => spec["priority"] = json!(value),
    }
    match spec["preemptionPolicy"].as_str() {
        Some(given) if given != policy => return why(&format!("string value of PreemptionPolicy ({given})"), &policy),
        _ => spec["preemptionPolicy"] = json!(policy),
    }
    Ok(())
}

fn single_default(server: &Server, class: &Value) -> Result<(), String> {
    let marked = if class["globalDefault"] == true { default_class(server) } else { None };
    marked.map_or(Ok(()), |other| {
        let name = meta(&other, "name");
        Err(format!("PriorityClass {name} is already marked as default. Only one default can exist"))
    })
}
