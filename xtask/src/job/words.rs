//! Cuts a command line into words, as a shell does.

/// Words parted by blanks; quotes of either kind keep blanks, and a backslash keeps
/// what follows it (within single quotes it is itself).
///
/// # Errors
/// A quote that is not closed, or a word that holds a control character, which would be
/// another line of a job or move a terminal's cursor.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), letter) if letter == open => quote = None,
            (None | Some('"'), '\\') => {
                word.get_or_insert_default().extend(letters.next());
            }
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(open) = quote {
        return Err(format!("a {open} is not closed"));
    }
    words.extend(word);
    match words.iter().find(|word| word.contains(char::is_control)) {
        Some(word) => Err(format!(
            "`{}`: control characters are not allowed",
            word.escape_debug()
        )),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell() {
        for (text, expected) in [
            ("", &[][..]),
            ("  a  b ", &["a", "b"]),
            ("--x='a b' \"c d\"e", &["--x=a b", "c de"]),
            ("a\\ b '\\' \"\\\"\" ''", &["a b", "\\", "\"", ""]),
        ] {
            assert_eq!(words(text).unwrap(), expected, "{text}");
        }
        assert!(words("a 'b").is_err());
        assert_eq!(words("a\tb\nc").unwrap(), ["a", "b", "c"]);
        for control in ["a\0b", "'a\nb'", "\u{9b}2J", "a\\\tb"] {
            let error = words(control).unwrap_err();
            assert!(!error.contains(char::is_control), "{error:?}");
        }
    }
}
