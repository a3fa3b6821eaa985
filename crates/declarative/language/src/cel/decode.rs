//! From JSON to the values that an expression computes with.

use std::borrow::Cow;
use std::collections::HashMap;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString,
};
use cel::common::value::Val;

/// Why a JSON value is none that an expression can compute with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DecodeFault {
    /// An integer beyond 64 bits.
    Integer(String),
    /// A number that a double cannot hold.
    Double(String),
    /// A text with half a surrogate pair.
    Surrogate,
    /// Not JSON. Records are checked before, so that no event is at fault.
    Malformed,
}

/// A value, borrowing from the text what it can.
pub(super) type Decoded<'a> = Box<dyn Val + 'a>;

/// Decodes one valid JSON value.
pub(super) fn decode(text: &str) -> Result<Decoded<'_>, DecodeFault> {
    Decoder { rest: text }.value()
}

struct Decoder<'a> {
    rest: &'a str,
}

impl<'a> Decoder<'a> {
    fn value(&mut self) -> Result<Decoded<'a>, DecodeFault> {
        match self.peek() {
            Some(b'"') => Ok(match self.text()? {
                Cow::Borrowed(text) => Box::new(CelString::from(text)),
                Cow::Owned(text) => Box::new(CelString::from(text)),
            }),
            Some(b'n') => self.word("null", CelNull),
            Some(b't') => self.word("true", CelBool::from(true)),
            Some(b'f') => self.word("false", CelBool::from(false)),
            Some(b'[') => self.list(),
            Some(b'{') => self.map(),
            _ => self.number(),
        }
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.rest.as_bytes().first().copied()
    }

    /// Reads the byte when it comes next.
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.rest = self.rest.get(1..).unwrap_or_default();
        }
        found
    }

    fn word<V: Val + 'a>(&mut self, word: &str, value: V) -> Result<Decoded<'a>, DecodeFault> {
        self.rest = self.rest.strip_prefix(word).ok_or(DecodeFault::Malformed)?;
        Ok(Box::new(value))
    }

    fn number(&mut self) -> Result<Decoded<'a>, DecodeFault> {
        let fits = |c: char| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        if token.is_empty() {
            return Err(DecodeFault::Malformed);
        }
        if !token.contains(['.', 'e', 'E']) {
            let number = token.parse::<i64>();
            return number
                .map(|number| Box::new(CelInt::from(number)) as Decoded<'a>)
                .map_err(|_| DecodeFault::Integer(token.to_owned()));
        }
        let number: f64 = token.parse().map_err(|_| DecodeFault::Malformed)?;
        let mantissa = token.split(['e', 'E']).next().unwrap_or_default();
        let vanished = number == 0.0 && mantissa.contains(|c| matches!(c, '1'..='9'));
        if !number.is_finite() || vanished {
            return Err(DecodeFault::Double(token.to_owned()));
        }
        Ok(Box::new(CelDouble::from(number)))
    }

    fn text(&mut self) -> Result<Cow<'a, str>, DecodeFault> {
        let bytes = self.rest.as_bytes();
        let (mut at, mut escaped) = (1, false);
        loop {
            match bytes.get(at).ok_or(DecodeFault::Malformed)? {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    at += 2;
                }
                _ => at += 1,
            }
        }
        let (quoted, rest) = self.rest.split_at(at + 1);
        self.rest = rest;
        if escaped {
            let text = serde_json::from_str(quoted).map_err(|_| DecodeFault::Surrogate)?;
            return Ok(Cow::Owned(text));
        }
        let inside = quoted.get(1..at).ok_or(DecodeFault::Malformed)?;
        Ok(Cow::Borrowed(inside))
    }

    fn list(&mut self) -> Result<Decoded<'a>, DecodeFault> {
        self.eat(b'[');
        let mut elements = Vec::new();
        if !self.eat(b']') {
            loop {
                elements.push(self.value()?);
                if !self.eat(b',') {
                    break;
                }
            }
            if !self.eat(b']') {
                return Err(DecodeFault::Malformed);
            }
        }
        Ok(Box::new(CelList::from(elements)))
    }

    fn map(&mut self) -> Result<Decoded<'a>, DecodeFault> {
        self.eat(b'{');
        let mut entries = HashMap::new();
        if !self.eat(b'}') {
            loop {
                if self.peek() != Some(b'"') {
                    return Err(DecodeFault::Malformed);
                }
                let key = match self.text()? {
                    Cow::Borrowed(key) => CelString::from(key),
                    Cow::Owned(key) => CelString::from(key),
                };
                if !self.eat(b':') {
                    return Err(DecodeFault::Malformed);
                }
                // Of keys that repeat the last one counts, as everywhere.
                entries.insert(CelMapKey::String(key), self.value()?);
                if !self.eat(b',') {
                    break;
                }
            }
            if !self.eat(b'}') {
                return Err(DecodeFault::Malformed);
            }
        }
        Ok(Box::new(CelMap::from(entries)))
    }
}
