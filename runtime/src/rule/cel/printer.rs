//! Prints an expression.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value as Json;

use super::code::Code;
use super::dialect::{Dialect, is_identifier};
use super::error::Problem;
use super::type_::{self, Type};
use super::value::{Presence, Value};
use super::{field, methods, operators, quantifier, schema};
use crate::rule::expression::{Bound, Expression, Parameter, Part, Quantifier};

/// Names that a variable of CEL must not hide.
const TAKEN: [&str; 16] = [
    "self",
    "oldSelf",
    "object",
    "oldObject",
    "request",
    "params",
    "namespaceObject",
    "authorizer",
    "variables",
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "bytes",
    "dyn",
];

/// Prints expressions over one schema.
pub(crate) struct Printer<'s> {
    dialect: Dialect,
    /// The schema of the parameters `new` and `old`.
    schema: &'s JSONSchemaProps,
    /// The two parameters, where they are parts of an object that are known to be there.
    parts: Option<[Code; 2]>,
    bound: Vec<(u32, Value<'s>)>,
    /// The variables of CEL in scope.
    variables: Vec<String>,
}

impl<'s> Printer<'s> {
    pub(crate) fn new(dialect: Dialect, schema: &'s JSONSchemaProps) -> Self {
        Self { dialect, schema, parts: None, bound: Vec::new(), variables: Vec::new() }
    }

    /// A printer for a policy whose parameters are parts of the object and of the old one, at a path of properties. The caller tests that they
    /// are there.
    #[cfg(feature = "webhooks")]
    pub(crate) fn of_parts(schema: &'s JSONSchemaProps, [new, old]: &[String; 2]) -> Self {
        Self { parts: Some([new, old].map(Code::primary)), ..Self::new(Dialect::Policy, schema) }
    }

    /// Prints the body of a rule.
    pub(crate) fn print(&mut self, expression: &Expression) -> Result<String, Problem> {
        self.truth(expression).map(Code::into_text)
    }

    /// An expression that is true or false.
    fn truth(&mut self, expression: &Expression) -> Result<Code, Problem> {
        let value = self.value(expression)?.plain()?;
        match value.type_ {
            Type::Bool => Ok(value.code),
            _ => Err(value.lacks("and a condition is a bool")),
        }
    }

    fn value(&mut self, expression: &Expression) -> Result<Value<'s>, Problem> {
        Ok(match expression {
            Expression::Bool(value) => Value::bool(Code::bool(*value)),
            Expression::Int(value) => Value::new(Code::number(value.to_string()), Type::Int),
            Expression::Float(value) => Value::new(Code::number(format!("{value:?}")), Type::Float),
            Expression::Text(value) => Value::new(Code::text(value), Type::Text(false)),
            Expression::Constant(path, value) => constant(path, *value)?,
            Expression::None => Value {
                presence: Presence::Option(Code::bool(false)),
                ..Value::new(Code::primary("null"), Type::Nothing)
            },
            Expression::Some(value) => {
                let value = self.value(value)?.plain()?;
                Value { presence: Presence::Option(Code::bool(true)), ..value }
            }
            Expression::Parameter(parameter) => self.parameter(*parameter),
            Expression::Bound(id) => self.bound(*id)?,
            Expression::Field(base, name) => field::field(self.value(base)?, name, self.dialect)?,
            Expression::Not(value) => Value::bool(self.truth(value)?.not()),
            Expression::Negative(value) => self.negative(value)?,
            Expression::Binary(operator, left, right) => {
                operators::binary(*operator, self.value(left)?, self.value(right)?, self.dialect)?
            }
            Expression::If(condition, yes, no) => self.choose(condition, yes, no)?,
            Expression::Call(method, base, arguments) => {
                let base = self.value(base)?;
                let argument = arguments.first().map(|argument| self.value(argument)).transpose()?;
                methods::call(*method, base, argument, self.dialect)?
            }
            Expression::Held(base, parameter, body, otherwise) => self.held(base, *parameter, body, otherwise)?,
            Expression::Each(quantifier, part, base, parameters, body) => {
                self.each(*quantifier, *part, base, *parameters, body)?
            }
        })
    }

    fn parameter(&self, parameter: Parameter) -> Value<'s> {
        if let (Some([new, old]), Parameter::New | Parameter::Old) = (&self.parts, parameter) {
            let (code, name) = if parameter == Parameter::New { (new, "self") } else { (old, "oldSelf") };
            return Value { name: name.to_owned(), ..Value::new(code.clone(), type_::of(self.schema)) };
        }
        let name = match (parameter, self.dialect) {
            (Parameter::New, Dialect::Schema) => "self",
            (Parameter::Old, Dialect::Schema) => "oldSelf",
            (Parameter::New, Dialect::Policy) => "object",
            (Parameter::Old, Dialect::Policy) => "oldObject",
            (Parameter::Request, _) => {
                return Value::new(Code::primary("request"), Type::Object(schema::request()));
            }
        };
        let value = Value { name: name.to_owned(), ..Value::new(Code::primary(name), type_::of(self.schema)) };
        match (parameter, self.dialect) {
            (Parameter::Old, Dialect::Policy) => {
                let test = self.dialect.is_not_null(&value.code);
                Value { presence: Presence::Option(test), ..value }
            }
            _ => value,
        }
    }

    fn bound(&self, id: u32) -> Result<Value<'s>, Problem> {
        let found = self.bound.iter().rev().find(|(known, _)| *known == id).map(|(_, value)| value.clone());
        found.ok_or_else(|| Problem::no_form("a variable is not the parameter of a closure around it"))
    }

    fn negative(&mut self, value: &Expression) -> Result<Value<'s>, Problem> {
        let value = self.value(value)?.plain()?;
        match value.type_ {
            Type::Int | Type::Float => Ok(Value::new(value.code.negative(), value.type_)),
            _ => Err(value.lacks("so it has no `-`")),
        }
    }

    fn choose(&mut self, condition: &Expression, yes: &Expression, no: &Expression) -> Result<Value<'s>, Problem> {
        let (condition, yes, no) = (self.truth(condition)?, self.value(yes)?, self.value(no)?);
        if !yes.type_.resembles(no.type_) {
            return Err(yes.lacks(&format!("and the other value of `if` is {}", no.type_.word())));
        }
        if let (Presence::Always, Presence::Always) = (&yes.presence, &no.presence) {
            let (yes, no) = (yes.plain()?, no.plain()?);
            return Ok(Value::new(condition.choose(&yes.code, &no.code), yes.type_));
        }
        let presence = Presence::Option(condition.choose(&yes.test(), &no.test()));
        let type_ = if let Type::Nothing = yes.type_ { no.type_ } else { yes.type_ };
        let code = match (yes.type_, no.type_) {
            (Type::Nothing, _) => no.code,
            (_, Type::Nothing) => yes.code,
            _ => condition.choose(&yes.code, &no.code),
        };
        Ok(Value { presence, ..Value::new(code, type_) })
    }

    fn held(
        &mut self,
        base: &Expression,
        Bound(id, _): Bound,
        body: &Expression,
        otherwise: &Expression,
    ) -> Result<Value<'s>, Problem> {
        let (test, inner) = self.value(base)?.option()?;
        self.bound.push((id, inner));
        let body = self.value(body);
        self.bound.pop();
        let (body, otherwise) = (body?.plain()?, self.value(otherwise)?.plain()?);
        if !body.type_.resembles(otherwise.type_) {
            return Err(body.lacks(&format!("and the value without it is {}", otherwise.type_.word())));
        }
        let code = match (body.type_, &otherwise.code) {
            (Type::Bool, no) if no.is("false") => test.and(&body.code),
            (Type::Bool, yes) if yes.is("true") => test.not().or(&body.code),
            _ => test.choose(&body.code, &otherwise.code),
        };
        Ok(Value::new(code, body.type_))
    }

    fn each(
        &mut self,
        quantifier: Quantifier,
        part: Part,
        base: &Expression,
        [first, second]: [Bound; 2],
        body: &Expression,
    ) -> Result<Value<'s>, Problem> {
        let base = self.value(base)?.plain()?;
        let variable = self.free(if part == Part::Values { "key" } else { first.1 });
        let [one, other] = quantifier::parameters(&base, part, &variable, self.dialect)?;
        self.bound.extend([(first.0, one), (second.0, other)]);
        self.variables.push(variable.clone());
        let body = self.truth(body);
        self.bound.truncate(self.bound.len() - 2);
        self.variables.pop();
        Ok(Value::bool(quantifier::fold(&base.code, quantifier, &variable, body?)))
    }

    /// A name for a variable of CEL that hides no other one.
    fn free(&self, name: &str) -> String {
        let is_free =
            |name: &str| is_identifier(name) && !TAKEN.contains(&name) && !self.variables.iter().any(|v| v == name);
        let name = name.trim_matches('_');
        let name = if is_identifier(name) { name } else { "item" };
        let mut numbered = (2..).map(|n| format!("{name}{n}"));
        match is_free(name) {
            true => name.to_owned(),
            false => numbered.find(|name| is_free(name)).unwrap_or_default(),
        }
    }
}

/// A constant of Rust in its form in JSON.
fn constant<'s>(path: &str, value: fn() -> Result<Json, serde_json::Error>) -> Result<Value<'s>, Problem> {
    let refused = || Problem::no_form(format!("`{path}` is not a bool, a number or a text in JSON"));
    Ok(match value().map_err(|_| refused())? {
        Json::Bool(value) => Value::bool(Code::bool(value)),
        Json::String(value) => Value::new(Code::text(&value), Type::Text(false)),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(value), _) => Value::new(Code::number(value.to_string()), Type::Int),
            (None, Some(value)) => Value::new(Code::number(format!("{value:?}")), Type::Float),
            (None, None) => return Err(refused()),
        },
        Json::Null | Json::Array(_) | Json::Object(_) => return Err(refused()),
    })
}
