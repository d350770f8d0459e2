//! `allow_write=DISK[:SIGNATURE]`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proto::result::DiskInfo;

/// What a job's `allow_write` says of one disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// Nothing.
    None,
    /// The disk is named, with the word for what it holds if one is given.
    Named(Option<String>),
    /// It is named by a name that fits others too: the name, and all it fits.
    Ambiguous(String, Vec<String>),
}

/// A token as name and signature: a word after the last colon is a signature if
/// it starts with a letter, which no part of an address does.
fn split(token: &str) -> Option<(&str, &str)> {
    let (name, word) = token.rsplit_once(':')?;
    let letter = word
        .chars()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let plain = word
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    (letter && plain).then_some((name, word))
}

/// What `tokens` say of `disk`, one of `all`.
#[must_use]
pub fn tokens_for(tokens: &[String], disk: &DiskInfo, all: &[DiskInfo]) -> Token {
    let mut verdict = Token::None;
    for token in tokens {
        // The whole token may be a name: a world-wide name can look like `eui:x`.
        let whole = all.iter().any(|disk| disk.names().fits(token));
        let (name, word) = match split(token) {
            Some((name, word)) if !whole => (name, Some(word.to_string())),
            _ => (token.as_str(), None),
        };
        if !disk.names().fits(name) {
            continue;
        }
        let fits: Vec<String> = all
            .iter()
            .filter(|disk| disk.names().fits(name))
            .map(|disk| disk.id.clone())
            .collect();
        if fits.len() > 1 {
            if verdict == Token::None {
                verdict = Token::Ambiguous(name.to_string(), fits);
            }
        } else if word.is_some() || !matches!(verdict, Token::Named(Some(_))) {
            verdict = Token::Named(word);
        }
    }
    verdict
}
