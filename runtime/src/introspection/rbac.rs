//! RBAC rules: the kinds that a reconciler uses, and the verbs that it needs for them.

use super::rbac_rule::{RbacRule, Rules};
use super::reconciler_info::ReconcilerInfo;
use crate::pipeline::object::StatusStore;
use crate::wiring::{How, KindInfo, Relation, Verb};

/// Why the operator reads and writes the kind of a dependent.
const KEEPS: &str = "keeps dependents of this kind";
const KEEPS_ANY: &str = "keeps dependents of any kind";

/// Why it lists everything.
const CONTENT: &str = "looks for objects of others in a namespace before it deletes the namespace";

/// Why it acts as service accounts.
const ACTS: &str = "acts as the service accounts of sites";

/// Why it may give away rights that it does not have.
const GRANTS: &str = "keeps roles and bindings with rights that it does not have itself";

/// The group of roles and bindings.
const RBAC: &str = "rbac.authorization.k8s.io";

/// Why it reads the Namespace `kube-system`.
const CLUSTER: &str = "marks the dependents of sites in other clusters with the uid of its own";

/// Why it lists the types that its dependents serve.
const MANAGES: &str = "looks for objects of others before it deletes what serves their types";

impl Rules {
    /// The uid of this Namespace tells clusters apart.
    fn add_cluster_uid(&mut self) {
        let (verbs, why) = ([Verb::Get].into(), [CLUSTER].into());
        let (group, resource, name) = (String::new(), "namespaces".into(), Some("kube-system"));
        self.add_rule(RbacRule { group, resource, name, namespaced: false, verbs, why, cached: [].into() });
    }

    fn add_own(&mut self, known: &ReconcilerInfo) {
        let kind = &known.kind;
        self.add_cached(kind, &[Verb::Get, Verb::List, Verb::Watch], "reconciles it");
        // Required even without an external step: a finalizer of an earlier version has to be removed.
        if !known.wiring.is_plain() || !known.wiring.previously.finalizers.is_empty() {
            self.add(kind, "", &[Verb::Patch], "puts its finalizer on and off");
        }
        if known.status == StatusStore::Object {
            self.add(kind, "/status", &[Verb::Patch], "writes the status");
        } else if known.wiring.bare_status.conditions.is_some() {
            self.add(kind, "/status", &[Verb::Patch], "writes its conditions into the status");
        }
        let owns = known.wiring.relations().any(|r| r.how == How::Owns);
        if owns {
            self.add(kind, "/finalizers", &[Verb::Update], "is the owner that blocks the deletion of owned objects");
        }
    }

    /// `site`: what the users of sites need. The operator then only reads.
    fn add_relations(&mut self, known: &ReconcilerInfo, site: &mut Self, acts_by_default: bool) {
        for step in known.wiring.all_steps() {
            step.relations.iter().for_each(|relation| self.add_reads(relation));
            step.manages.iter().for_each(|pattern| self.add_managed(pattern));
            step.manages_of.iter().for_each(|_| self.add_managed("*/*"));
            let has_site = step.find_site.is_some() || acts_by_default && step.keeps_dependents();
            let writer = if has_site { &mut *site } else { &mut *self };
            step.relations.iter().for_each(|relation| writer.add_writes(relation, step.deletes));
            if step.escalates {
                step.relations.iter().for_each(|relation| writer.add_grants(relation));
            }
            if step.find_site.is_some() || !step.previously.marks.is_empty() {
                self.add_cluster_uid();
            }
            if has_site {
                self.add_named(String::new(), "serviceaccounts".into(), true, &[Verb::Impersonate], ACTS);
                step.relations.iter().for_each(|relation| site.add_live_reads(relation, &known.kind));
            }
        }
        known.wiring.namespaces().iter().for_each(|relation| self.add_reads(relation));
    }

    /// A rule cannot name a part of a group, and the plural of a kind is not known. Patterns of an object may be any.
    fn add_managed(&mut self, pattern: &str) {
        let group = pattern.split_once('/').map_or(pattern, |(group, _)| group);
        let group = if group.starts_with('*') { "*" } else { group };
        self.add_named(group.to_owned(), "*".into(), false, &[Verb::List], MANAGES);
    }

    /// What the caches and the reads of a step need.
    fn add_reads(&mut self, relation: &Relation) {
        if relation.is_any() {
            self.add_named("*".into(), "*".into(), false, relation.read_verbs(), KEEPS_ANY);
        }
        let Some(kind) = relation.kind.map(|kind| kind()) else { return };
        let reads = relation.read_verbs();
        match relation.how {
            How::Owns => self.add_cached(&kind, reads, "owns it"),
            How::Keeps => {
                self.add_cached(&kind, reads, KEEPS);
                if kind.resource.group.is_empty() && kind.resource.kind == "Namespace" {
                    self.add_named("*".into(), "*".into(), true, &[Verb::List], CONTENT);
                }
            }
            How::WatchesByName => {
                self.add(&kind, "", reads, "watches it by name");
                if reads.contains(&Verb::Get) {
                    self.add(&kind, "", &[Verb::Get], "reads it");
                }
            }
            How::WatchesLabels(_) => self.add_cached(&kind, reads, "watches it by a selector"),
            How::Reads => self.add(&kind, "", reads, "reads it"),
            How::Uses(_) => {}
        }
    }

    /// What the calls of a step need. `deletes`: whether the step may delete the objects that it owns.
    fn add_writes(&mut self, relation: &Relation, deletes: bool) {
        if relation.is_any() {
            self.add_named("*".into(), "*".into(), false, &[Verb::Create, Verb::Patch, Verb::Delete], KEEPS_ANY);
        }
        let Some(kind) = relation.kind.map(|kind| kind()) else { return };
        match relation.how {
            How::Owns => {
                self.add(&kind, "", &[Verb::Create, Verb::Patch], "owns it");
                if deletes || relation.anywhere {
                    self.add(&kind, "", &[Verb::Delete], "owns it");
                }
            }
            How::Keeps => self.add(&kind, "", &[Verb::Create, Verb::Patch, Verb::Delete], KEEPS),
            How::Uses(calls) => {
                for call in calls {
                    let resource = call.subresource.map(|name| format!("/{name}")).unwrap_or_default();
                    self.add(&kind, &resource, &[call.verb], "calls it from a step");
                }
            }
            How::WatchesByName | How::WatchesLabels(_) | How::Reads => {}
        }
    }

    /// What a step needs to keep roles and bindings of any content. The API server checks `bind` on the role that a binding names.
    fn add_grants(&mut self, relation: &Relation) {
        const ROLES: (&str, bool) = ("roles", true);
        const CLUSTER_ROLES: (&str, bool) = ("clusterroles", false);
        let kind = relation.kind.map(|kind| kind().resource).filter(|resource| resource.group == RBAC);
        let is = |names: &[&str]| relation.is_any() || kind.as_ref().is_some_and(|one| names.contains(&&*one.kind));
        let needed = [
            (&["Role"][..], ROLES, Verb::Escalate),
            (&["ClusterRole"], CLUSTER_ROLES, Verb::Escalate),
            (&["RoleBinding"], ROLES, Verb::Bind),
            (&["RoleBinding", "ClusterRoleBinding"], CLUSTER_ROLES, Verb::Bind),
        ];
        for (_, (resource, namespaced), verb) in needed.into_iter().filter(|(names, ..)| is(names)) {
            self.add_named(RBAC.to_owned(), resource.to_owned(), namespaced, &[verb], GRANTS);
        }
    }

    /// What a step at a site reads with the rights of the user, since no cache has it.
    fn add_live_reads(&mut self, relation: &Relation, owner: &KindInfo) {
        let Some(kind) = relation.kind.map(|kind| kind()) else { return };
        match relation.how {
            How::Owns => {
                self.add(&kind, "", &[Verb::Get], "owns it");
                self.add(
                    owner,
                    "/finalizers",
                    &[Verb::Update],
                    "names an owner that blocks the deletion of owned objects",
                );
            }
            How::Keeps => self.add(&kind, "", &[Verb::Get], KEEPS),
            How::Reads => self.add(&kind, "", relation.read_verbs(), "reads it"),
            How::WatchesByName | How::WatchesLabels(_) => {
                let live: Vec<Verb> = relation.read_verbs().iter().copied().filter(|verb| *verb == Verb::Get).collect();
                self.add(&kind, "", &live, "reads it");
            }
            How::Uses(_) => {}
        }
    }

    fn add_framework(&mut self) {
        let events = ("events.k8s.io".to_owned(), "events".to_owned());
        self.add_named(events.0, events.1, true, &[Verb::Create, Verb::Patch], "records transitions");
        const CRD: [Verb; 3] = [Verb::Get, Verb::List, Verb::Watch];
        let definitions = ("apiextensions.k8s.io".to_owned(), "customresourcedefinitions".to_owned());
        self.add_named(
            definitions.0,
            definitions.1,
            false,
            &CRD,
            "compares the installed CRD with the program, if it may",
        );
    }
}

/// The rules of an operator, each sorted by group and resource.
#[derive(Default)]
pub(crate) struct AllRules {
    /// Those of the operator.
    pub(crate) operator: Vec<RbacRule>,
    /// Those of the users as which its steps act, where they have a site.
    pub(crate) sites: Vec<RbacRule>,
}

/// The rules that the reconcilers need together. `acts_by_default`: sets of dependents without a site act as a service account, too.
pub(crate) fn all_rules(all: &[ReconcilerInfo], acts_by_default: bool) -> AllRules {
    let (mut rbac_rules, mut sites) = (Rules::default(), Rules::default());
    for known in all {
        rbac_rules.add_own(known);
        rbac_rules.add_relations(known, &mut sites, acts_by_default);
    }
    if !all.is_empty() {
        rbac_rules.add_framework();
    }
    AllRules { operator: rbac_rules.into_sorted(), sites: sites.into_sorted() }
}

/// Adds the rules of these relations, by which functions review writes, to those of the reconcilers.
#[cfg(all(feature = "operator", feature = "webhooks"))]
pub(crate) fn with_reviews<'r>(rules: Vec<RbacRule>, relations: impl Iterator<Item = &'r Relation>) -> Vec<RbacRule> {
    const READS: &str = "reads it in reviews of writes";
    let mut all: Rules = rules.into_iter().collect();
    for (relation, kind) in relations.filter_map(|relation| Some((relation, relation.kind?()))) {
        match relation.how {
            How::WatchesLabels(_) => all.add_cached(&kind, relation.read_verbs(), READS),
            _ => all.add(&kind, "", relation.read_verbs(), READS),
        }
        // What the cache does not have is read live.
        all.add(&kind, "", &[Verb::Get], READS);
    }
    all.into_sorted()
}

/// Adds the rules that routes of these kinds need to those of the operator.
#[cfg(feature = "routes")]
pub(crate) fn with_routes<'k>(rules: Vec<RbacRule>, kinds: impl Iterator<Item = &'k KindInfo>) -> Vec<RbacRule> {
    let mut all: Rules = rules.into_iter().collect();
    for kind in kinds {
        // What the cache of the reconciler does not have is read live.
        all.add(kind, "", &[Verb::Get], "reads it for requests of users");
        let reviews = [
            ("authentication.k8s.io", "tokenreviews", "authenticates users who call routes"),
            ("authorization.k8s.io", "subjectaccessreviews", "authorizes users who call routes"),
        ];
        for (group, resource, why) in reviews {
            all.add_named(group.to_owned(), resource.to_owned(), false, &[Verb::Create], why);
        }
    }
    all.into_sorted()
}

/// The rules, with those of a listener that asks for tokens.
#[cfg(feature = "metrics")]
pub(crate) fn with_listener(rules: Vec<RbacRule>) -> Vec<RbacRule> {
    let mut all: Rules = rules.into_iter().collect();
    let reviews = [
        ("authentication.k8s.io", "tokenreviews", "authenticates users who read metrics"),
        ("authorization.k8s.io", "subjectaccessreviews", "authorizes users who read metrics"),
    ];
    for (group, resource, why) in reviews {
        all.add_named(group.to_owned(), resource.to_owned(), false, &[Verb::Create], why);
    }
    all.into_sorted()
}

impl ReconcilerInfo {
    /// The RBAC rules that this reconciler needs, sorted by group and resource, without those of the users of its sites.
    ///
    /// [`Operator::rbac_rules`](crate::Operator::rbac_rules) returns the union over an operator.
    #[must_use]
    pub fn rbac_rules(&self) -> Vec<RbacRule> {
        all_rules(std::slice::from_ref(self), false).operator
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn row(resource: &str) -> (Vec<&'static str>, bool) {
        let rbac_rules = fixture::known().rbac_rules();
        let right = rbac_rules.iter().find(|right| right.resource == resource).unwrap();
        (right.verbs.iter().map(|verb| verb.as_str()).collect(), right.namespaced)
    }

    #[test]
    fn each_relation_requires_only_its_verbs() {
        assert_eq!(row("secrets"), (vec!["list", "watch"], true));
        assert_eq!(row("configmaps"), (vec!["get", "list", "watch", "create", "patch", "delete"], true));
        assert_eq!(row("nodes"), (vec!["get"], false));
        assert_eq!(row("pods/status"), (vec!["patch"], true));
        assert_eq!(row("pods/finalizers"), (vec!["update"], true));
        assert_eq!(fixture::known().rbac_rules().len(), 8);
    }

    #[test]
    fn a_resource_of_several_reconcilers_is_listed_once() {
        let both = all_rules(&[fixture::known(), fixture::known()], false);
        assert_eq!(both.operator, fixture::known().rbac_rules());
        assert!(both.sites.is_empty() && all_rules(&[], false).operator.is_empty());
    }
}
