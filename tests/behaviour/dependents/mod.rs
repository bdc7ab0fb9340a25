//! Sets of dependents: what an operator does with them, on each server.

mod booth;
mod estate;
mod shop;

mod any;
mod autoscaled;
mod cost;
mod drift;
mod end;
mod events;
mod faults;
mod foreign;
mod former;
mod grants;
mod kinship;
mod kubeconfigs;
mod managed;
mod managed_by_object;
mod namespaces;
mod outages;
mod programs;
mod property;
mod read_back;
mod readiness;
mod renamed;
mod rendered;
mod rollout;
mod settled;
mod shelf;
mod shown;
mod sites;
mod sources;
mod sweep;
mod templates;
mod types;
mod wrong;
