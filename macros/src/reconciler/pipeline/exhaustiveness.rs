//! Checks that every arm of a branch runs or skips every step of the branch.

use super::callee::Callee;
use super::errors;
use super::statement::{Arm, Branch, Call, Head, Skip, Statement, step_name};
use crate::errors::Errors;
use crate::syntax::suggest;

/// Checks each branch, and that no path through the pipeline contains a step twice.
pub(super) fn check(statements: &[Statement], errors: &mut Errors) {
    for statement in statements {
        match statement {
            Statement::Branch(branch) => check_outermost(branch, errors),
            Statement::Skip(skip) => errors::skip_outside(skip, errors),
            _ => {}
        }
    }
    let mut twice: Vec<&Callee> = Vec::new();
    walk(statements, &mut Vec::new(), &mut |path| {
        if !twice.iter().any(|earlier| step_name(earlier) == step_name(path)) {
            twice.push(path);
        }
    });
    twice.into_iter().for_each(|path| errors::met_twice(path, errors));
}

/// A step that one arm skips must run in another.
fn check_outermost(branch: &Branch, errors: &mut Errors) {
    let before = errors.count();
    let (mut run, mut skipped) = (Vec::new(), Vec::new());
    each_arm(branch, &mut |arm| {
        for statement in &arm.statements {
            run.extend(statement.calls().into_iter().map(Call::name));
            if let Statement::Skip(skip) = statement {
                skipped.push(skip);
            }
        }
    });
    skipped.retain(|skip: &&Skip| !run.contains(&step_name(&skip.step)));
    skipped.dedup_by_key(|skip| step_name(&skip.step));
    for skip in skipped {
        errors::skip_of_no_step(skip, nearest(&step_name(&skip.step), &run), errors);
    }
    if run.is_empty() && errors.count() == before {
        errors::branch_without_steps(branch, errors);
    }
    if errors.count() == before {
        check_arms(branch, errors);
    }
}

/// Visits the arms of a branch and of its nested branches.
fn each_arm<'a>(branch: &'a Branch, see: &mut impl FnMut(&'a Arm)) {
    for arm in &branch.arms {
        see(arm);
        for statement in &arm.statements {
            if let Statement::Branch(inner) = statement {
                each_arm(inner, see);
            }
        }
    }
}

/// A step that one arm runs or skips must be run or skipped in every other one.
fn check_arms(branch: &Branch, errors: &mut Errors) {
    let all = distinct(branch.arms.iter().flat_map(|arm| told(&arm.statements)));
    // The arms of a `match` skip each other's steps, and similar names are usual there.
    if branch.on.is_none()
        && let Some((step, near)) = misspelt(branch, &all)
    {
        return errors::misspelt(step, near, errors);
    }
    for arm in &branch.arms {
        let here = told(&arm.statements);
        let untold: Vec<&String> = all.iter().filter(|step| !here.contains(step)).collect();
        if !untold.is_empty() {
            errors::untold(arm, &untold, errors);
        }
        for statement in &arm.statements {
            if let Statement::Branch(inner) = statement {
                check_arms(inner, errors);
            }
        }
    }
    if branch.arms.last().is_some_and(|arm| matches!(arm.head, Head::If(..))) {
        errors::no_else(branch, &all, errors);
    }
}

/// A step with a name similar to one in another arm, if no arm has both. Then one is probably misspelt.
fn misspelt<'a>(branch: &'a Branch, all: &'a [String]) -> Option<(&'a Callee, &'a String)> {
    let arms: Vec<Vec<String>> = branch.arms.iter().map(|arm| told(&arm.statements)).collect();
    let apart = |step: &String, other: &String| !arms.iter().any(|arm| arm.contains(step) && arm.contains(other));
    let mut pairs = all.iter().enumerate().flat_map(|(i, step)| all[..i].iter().map(move |other| (step, other)));
    let (step, other) = pairs.find(|(step, other)| suggest::nearest(step, &[other]).is_some() && apart(step, other))?;
    let mut callees = branch.arms.iter().flat_map(|arm| mentioned_steps(&arm.statements));
    let callee = callees.find(|callee| step_name(callee) == *step)?;
    Some((callee, other))
}

/// The step with the most similar name.
fn nearest<'a>(name: &str, steps: &'a [String]) -> Option<&'a str> {
    suggest::nearest(name, &steps.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The names of the steps that the statements run or skip.
fn told(statements: &[Statement]) -> Vec<String> {
    distinct(mentioned_steps(statements).into_iter().map(step_name))
}

/// The steps that the statements run or skip.
pub(super) fn mentioned_steps(statements: &[Statement]) -> Vec<&Callee> {
    let steps = statements.iter().flat_map(|statement| match statement {
        Statement::Skip(skip) => vec![&skip.step],
        Statement::Branch(inner) => inner.arms.iter().flat_map(|arm| mentioned_steps(&arm.statements)).collect(),
        other => other.calls().into_iter().map(|call| &call.callee).collect(),
    });
    steps.collect()
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Follows every path through the statements. `met` holds the steps that were run or skipped on it. Calls `tell` for a repeated step.
fn walk<'a>(statements: &'a [Statement], met: &mut Vec<String>, tell: &mut impl FnMut(&'a Callee)) {
    for statement in statements {
        match statement {
            Statement::Branch(branch) => {
                let before = met.clone();
                for arm in &branch.arms {
                    let mut way = before.clone();
                    walk(&arm.statements, &mut way, tell);
                    met.extend(way);
                }
            }
            Statement::Skip(skip) => meet(&skip.step, met, tell),
            other => other.calls().into_iter().for_each(|call| meet(&call.callee, met, tell)),
        }
    }
}

fn meet<'a>(path: &'a Callee, met: &mut Vec<String>, tell: &mut impl FnMut(&'a Callee)) {
    let name = step_name(path);
    if met.contains(&name) {
        tell(path);
    } else {
        met.push(name);
    }
}
