//! Rust text without its comments and strings, so that words can be looked for.

use std::iter::Peekable;
use std::str::Chars;

/// Replaces comments and the contents of string and character literals by
/// spaces; line feeds stay, so line numbers do too.
#[must_use]
pub fn blank_comments_and_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('/', Some('/')) => until_line_end(&mut chars, &mut out),
            ('/', Some('*')) => block_comment(&mut chars, &mut out),
            ('"', _) => string(&mut chars, &mut out),
            // `r"`, `br#"`; not the end of a name, as in `for r in`.
            ('r', Some('"' | '#')) if !is_word(last) || last == 'b' => {
                out.push(' ');
                raw_string(&mut chars, &mut out);
            }
            ('\'', _) => quote(&mut chars, &mut out),
            _ => out.push(c),
        }
        last = c;
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn blank(c: char, out: &mut String) {
    out.push(if c == '\n' { '\n' } else { ' ' });
}

fn until_line_end(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push(' ');
    while let Some(c) = chars.next_if(|&c| c != '\n') {
        blank(c, out);
    }
}

fn block_comment(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    let mut depth = 1;
    let mut last = ' ';
    out.push_str("  ");
    chars.next();
    while depth > 0 {
        let Some(c) = chars.next() else { return };
        blank(c, out);
        match (last, c) {
            ('*', '/') => (depth, last) = (depth - 1, ' '),
            ('/', '*') => (depth, last) = (depth + 1, ' '),
            _ => last = c,
        }
    }
}

fn string(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push(' ');
    while let Some(c) = chars.next() {
        blank(c, out);
        match c {
            '"' => return,
            '\\' => {
                if let Some(escaped) = chars.next() {
                    blank(escaped, out);
                }
            }
            _ => {}
        }
    }
}

/// After the `r`. A raw identifier such as `r#type` is no string.
fn raw_string(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    let mut hashes = 0;
    while chars.next_if_eq(&'#').is_some() {
        hashes += 1;
        out.push(' ');
    }
    if chars.next_if_eq(&'"').is_none() {
        return;
    }
    out.push(' ');
    let mut closing = None;
    while closing != Some(hashes) {
        let Some(c) = chars.next() else { return };
        blank(c, out);
        closing = match (c, closing) {
            ('"', _) => Some(0),
            ('#', Some(seen)) => Some(seen + 1),
            _ => None,
        };
    }
}

/// A character literal, or a lifetime, which is kept.
fn quote(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push(' ');
    let mut ahead = chars.clone();
    let literal = match ahead.next() {
        Some('\\') => true,
        Some(_) => ahead.next() == Some('\''),
        None => false,
    };
    if !literal {
        return;
    }
    let mut escaped = false;
    for c in chars.by_ref() {
        blank(c, out);
        if c == '\'' && !escaped {
            return;
        }
        escaped = c == '\\' && !escaped;
    }
}

/// Whether `word` stands in a line of code as a whole word.
pub fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let code = blank_comments_and_strings(text);
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_strings_go() {
        assert_eq!(kept("a // x\nb /* y /* z */ */ c"), "a b c");
        assert_eq!(
            kept(r#"f("x \" y", 'q', '\'', '\\') + g"#),
            "f( , , , ) + g"
        );
        assert_eq!(kept("r#\"a \" b\"# + br\"x\" + c"), "+ b + c");
        assert_eq!(kept("for r in x {} r#type"), "for r in x {} type");
    }

    #[test]
    fn lifetimes_stay_and_lines_count() {
        assert_eq!(
            kept("fn f<'a>(x: &'a str, y: &'static u8)"),
            "fn f< a>(x: & a str, y: & static u8)"
        );
        let text = "a\n/* b\nc */\n\"d\ne\"\nf\n";
        assert_eq!(blank_comments_and_strings(text).lines().count(), 6);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("x = unsafe { y }", "unsafe"));
        assert!(!has_word("forbid(unsafe_code)", "unsafe"));
    }
}
