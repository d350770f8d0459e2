//! Serial logs as they came from a guest, whole and spoiled, and what is made of them.

use proto::exit::GuestExit;
use xtask::serial::{Exit, Stop, Transcript, verdict};

/// What a log says, fed in pieces of `piece` bytes.
fn read(log: &[u8], piece: usize) -> Transcript {
    let mut said = Transcript::default();
    for bytes in log.chunks(piece) {
        said.feed(bytes);
    }
    said.close();
    said
}

/// The log of that name; it says the same however it is cut into pieces.
fn golden(name: &str) -> Transcript {
    let path = format!("{}/golden/{name}.log", env!("CARGO_MANIFEST_DIR"));
    let log = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let said = read(&log, log.len());
    for piece in [1, 7, 4096] {
        let again = read(&log, piece);
        assert_eq!(
            again.summary(),
            said.summary(),
            "{name} in pieces of {piece}"
        );
        assert_eq!(again.rows.len(), said.rows.len());
        assert_eq!(again.text, said.text);
    }
    said
}

fn with_status(exit: GuestExit) -> Stop {
    Stop::Ended(Exit::Code(exit.qemu_status()))
}

#[test]
fn good() {
    let said = golden("good");
    assert!(said.summary().is_whole());
    assert_eq!(said.trouble, [""; 0]);
    assert_eq!(
        (said.rows.len(), said.disks.len(), said.controllers.len()),
        (2, 1, 1)
    );
    let exit = verdict(&with_status(GuestExit::Pass), &said, "");
    assert_eq!(exit.unwrap(), GuestExit::Pass);
    // The same records under another exit status are no success.
    assert!(verdict(&Stop::Ended(Exit::Code(0)), &said, "").is_err());
    assert!(verdict(&with_status(GuestExit::Panic), &said, "").is_err());
}

#[test]
fn cut() {
    let said = golden("cut");
    assert_eq!(said.rows.len(), 1);
    assert!(!said.summary().is_whole());
    assert!(
        said.trouble.iter().any(|line| line.contains("it is cut")),
        "{:?}",
        said.trouble
    );
    let failure = verdict(&with_status(GuestExit::Pass), &said, "").unwrap_err();
    assert!(
        failure.message().contains("last record is missing"),
        "{failure}"
    );
    assert!(said.kept().contains("1 of 2 rows"), "{}", said.kept());
}

#[test]
fn noisy() {
    let good = golden("good");
    let said = golden("noisy");
    // Firmware, carriage returns and escape codes cost nothing; a changed byte costs its record.
    assert_eq!(said.summary().damaged, 1);
    assert_eq!(said.summary().records + 1, good.summary().records);
    assert_eq!(said.rows.len(), good.rows.len());
    for (row, same) in said.rows.iter().zip(&good.rows) {
        assert_eq!(row.value, same.value);
    }
    assert!(
        said.trouble.iter().any(|line| line.contains("is damaged")),
        "{:?}",
        said.trouble
    );
    assert!(
        said.trouble.iter().any(|line| line.contains("is missing")),
        "{:?}",
        said.trouble
    );
    assert!(
        said.text
            .iter()
            .all(|line| !line.contains('\x1b') && !line.contains('\r'))
    );
    let failure = verdict(&with_status(GuestExit::Pass), &said, "").unwrap_err();
    assert!(failure.message().contains("not whole"), "{failure}");
}

#[test]
fn panicked() {
    let said = golden("panicked");
    assert_eq!(said.rows.len(), 1);
    let failure = verdict(&with_status(GuestExit::Panic), &said, "").unwrap_err();
    assert_eq!(failure.code(), 4);
    let message = failure.message();
    assert!(message.contains("panicked while in row 2"), "{message}");
    assert!(message.contains(".rs:"), "the place is named: {message}");
}

#[test]
fn newer() {
    let said = golden("newer");
    assert_eq!(
        said.rows.len(),
        0,
        "records of a newer version are not guessed at"
    );
    assert!(said.summary().refused > 0);
    let told = said
        .trouble
        .iter()
        .any(|line| line.contains("version 2") && line.contains("newer ioprobe"));
    assert!(told, "{:?}", said.trouble);
}

#[test]
fn same_version_with_news() {
    let good = golden("good");
    let said = golden("news");
    // An unknown kind is named and counted, an unknown field is kept.
    assert_eq!(said.summary().unknown_kinds["weather"], 1);
    assert!(
        said.trouble.iter().any(|line| line.contains("`weather`")),
        "{:?}",
        said.trouble
    );
    assert_eq!(said.rows.len(), good.rows.len());
    assert_eq!(said.rows[0].value["humidity_pct"], 40);
    assert!(said.summary().is_whole());
}
