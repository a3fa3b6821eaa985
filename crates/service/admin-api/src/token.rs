//! The secret that a request must know.

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Shortest token that is taken, in characters.
pub const MIN_CHARACTERS: usize = 16;

/// The secret that a request must know. Only its hash is kept, so that it can reach no log.
#[derive(Clone)]
pub struct AdminToken {
    hash: [u8; 32],
}

impl AdminToken {
    /// Takes a token; white space around it is not part of it.
    ///
    /// # Errors
    /// A sentence that says what is wrong, without the token: it is shorter than
    /// [`MIN_CHARACTERS`], or holds a character that no header can carry.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.chars().count() < MIN_CHARACTERS {
            return Err(format!(
                "the admin token has fewer than {MIN_CHARACTERS} characters; make one with \
                 `openssl rand -hex 32`"
            ));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(
                "the admin token holds a character that is no visible ASCII character; make one \
                 with `openssl rand -hex 32`"
                    .to_owned(),
            );
        }
        Ok(Self { hash: hash(text) })
    }

    /// Whether `text` is the token. How long that takes tells nothing about the token.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.hash.ct_eq(&hash(text)).into()
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdminToken")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_knows_itself_and_shows_itself_to_nobody() {
        let secret = "0123456789abcdef-XYZ";
        let token = AdminToken::new(&format!(" {secret}\n")).unwrap();
        assert!(token.is(secret));
        for other in ["", "0123456789abcdef-XY", "0123456789abcdef-XYZZ", " "] {
            assert!(!token.is(other), "{other:?}");
        }
        assert_eq!(format!("{token:?}"), "AdminToken");
    }

    #[test]
    fn a_token_that_is_guessed_or_cannot_be_sent_is_refused_without_being_repeated() {
        for text in [
            "",
            "short-one",
            "long enough but with spaces",
            "ääääääääääääääää",
        ] {
            let refused = AdminToken::new(text).unwrap_err();
            assert!(refused.contains("openssl"), "{refused}");
            assert!(text.is_empty() || !refused.contains(text), "{refused}");
        }
    }
}
