//! Literals.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Lit;

use super::Reader;

impl Reader<'_> {
    /// Reads a literal, which may have a sign.
    pub(super) fn literal(&mut self, literal: &Lit, negative: bool) -> Option<TokenStream> {
        let krate = self.krate.clone();
        let sign = if negative { "-" } else { "" };
        match literal {
            Lit::Bool(value) if !negative => Some(quote!(#krate::Expression::Bool(#value))),
            Lit::Str(value) if !negative => Some(quote!(#krate::Expression::Text(#value))),
            Lit::Char(value) if !negative => {
                let text = value.value().to_string();
                Some(quote!(#krate::Expression::Text(#text)))
            }
            Lit::Int(value) if value.suffix().starts_with('f') => self.float(value, value.base10_digits(), sign),
            Lit::Int(value) => match format!("{sign}{}", value.base10_digits()).parse::<i64>() {
                Ok(number) => {
                    let number = Literal::i64_suffixed(number);
                    Some(quote!(#krate::Expression::Int(#number)))
                }
                Err(_) => self.refuse(value, "a number of more than 64 bits"),
            },
            Lit::Float(value) => self.float(value, value.base10_digits(), sign),
            other => self.refuse(other, "this literal"),
        }
    }

    fn float(&mut self, at: impl quote::ToTokens, digits: &str, sign: &str) -> Option<TokenStream> {
        let krate = self.krate.clone();
        match format!("{sign}{digits}").parse::<f64>() {
            Ok(number) if number.is_finite() => {
                let number = Literal::f64_suffixed(number);
                Some(quote!(#krate::Expression::Float(#number)))
            }
            _ => self.refuse(at, "a number that is not finite"),
        }
    }
}
