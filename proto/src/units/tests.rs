use super::*;
use alloc::string::ToString;
use proptest::prelude::*;

#[test]
fn every_spelling_of_a_block_size_that_people_use() {
    for (text, bytes) in [
        ("512", 512),
        ("512b", 512),
        ("4k", 4096),
        ("4K", 4096),
        ("4kb", 4096),
        ("4kB", 4096),
        ("4KB", 4096),
        ("4Ki", 4096),
        ("4KiB", 4096),
        ("5m", 5_242_880),
        ("5M", 5_242_880),
        ("5MB", 5_242_880),
        ("5MiB", 5_242_880),
        ("1g", 1 << 30),
        ("20t", 20 << 40),
        ("3P", 3 << 50),
        ("0x1000", 4096),
        ("0x10k", 16384),
        ("0x1b", 27),
        ("0", 0),
        ("18446744073709551615", u64::MAX),
    ] {
        assert_eq!(size_bytes(text), Ok(bytes), "{text}");
    }
}

#[test]
fn kb_base_1000_moves_only_suffixes_without_an_i() {
    for (text, bytes) in [
        ("4k", 4000),
        ("5MB", 5_000_000),
        ("4Ki", 4096),
        ("4KiB", 4096),
    ] {
        assert_eq!(size(text, KbBase::Decimal).unwrap().bytes, bytes, "{text}");
    }
}

#[test]
fn what_fio_reads_otherwise_is_known() {
    // Values printed by fio 3.33 for bs=.. with the null engine.
    for (text, in_fio) in [
        ("4k", None),
        ("4Ki", None),
        ("4KiB", Some(4000)),
        ("5MiB", Some(5_000_000)),
        ("0KiB", None),
    ] {
        assert_eq!(
            size(text, KbBase::Binary).unwrap().in_fio_bytes,
            in_fio,
            "{text}"
        );
    }
    assert_eq!(
        size("4Ki", KbBase::Decimal).unwrap().in_fio_bytes,
        Some(4000)
    );
    assert_eq!(size("4KiB", KbBase::Decimal).unwrap().in_fio_bytes, None);
}

#[test]
fn bad_sizes_are_refused_with_their_text() {
    for (text, fault) in [
        ("", UnitFault::Empty),
        ("-4k", UnitFault::Negative),
        ("4.5k", UnitFault::Fraction),
        ("4,5k", UnitFault::Fraction),
        ("5 MiB", UnitFault::Space),
        ("k", UnitFault::NoNumber),
        ("0x", UnitFault::NoNumber),
        ("+4k", UnitFault::NoNumber),
        ("18446744073709551616", UnitFault::TooLarge),
        ("16384p", UnitFault::TooLarge),
    ] {
        let error = size_bytes(text).unwrap_err();
        assert_eq!(error.fault, fault, "{text}");
        assert!(
            error
                .to_string()
                .starts_with(&alloc::format!("`{text}` is not a size: "))
        );
    }
    for text in ["4kk", "4kx", "4%", "4e3", "4kibb", "1MB/s"] {
        let error = size_bytes(text).unwrap_err();
        assert!(
            matches!(error.fault, UnitFault::UnknownSuffix { .. }),
            "{text}"
        );
    }
    assert_eq!(
        size_bytes("4q").unwrap_err().to_string(),
        "`4q` is not a size: unknown unit; accepted are k, m, g, t, p, each also with b, i \
         or ib (4k, 4kB, 4Ki, 4KiB)"
    );
}

#[test]
fn times_have_fio_units_and_bare_seconds() {
    for (text, ns) in [
        ("2", 2_000_000_000),
        ("2s", 2_000_000_000),
        ("2SEC", 2_000_000_000),
        ("500ms", 500_000_000),
        ("500msec", 500_000_000),
        ("7us", 7_000),
        ("7usec", 7_000),
        ("7ns", 7),
        ("1m", 60_000_000_000),
        ("1M", 60_000_000_000),
        ("1h", 3_600_000_000_000),
        ("30d", 2_592_000_000_000_000),
        ("0", 0),
    ] {
        assert_eq!(time_ns(text), Ok(ns), "{text}");
    }
    assert_eq!(time_ns("1.5s").unwrap_err().fault, UnitFault::Fraction);
    assert_eq!(time_ns("-1").unwrap_err().fault, UnitFault::Negative);
    assert_eq!(time_ns("300000d").unwrap_err().fault, UnitFault::TooLarge);
    assert_eq!(
        time_ns("2 s").unwrap_err().to_string(),
        "`2 s` is not a time: no space may stand between number and unit"
    );
}

#[test]
fn canonical_texts() {
    for (bytes, text) in [
        (0, "0"),
        (1, "1"),
        (513, "513"),
        (4096, "4k"),
        (5_242_880, "5m"),
        (1_000_000, "1000000"),
        (1 << 50, "1p"),
        (u64::MAX, "18446744073709551615"),
    ] {
        assert_eq!(size_text(bytes), text);
    }
    for (ns, text) in [(0, "0s"), (1, "1ns"), (1_500, "1500ns"), (2_000, "2us")] {
        assert_eq!(time_text(ns), text);
    }
    assert_eq!(time_text(500_000_000), "500ms");
    assert_eq!(time_text(90_000_000_000), "90s");
}

proptest! {
    #[test]
    fn texts_read_back(value: u64, shift in 0u32..64) {
        let value = value >> shift << (shift / 2);
        prop_assert_eq!(size_bytes(&size_text(value)), Ok(value));
        prop_assert_eq!(time_ns(&time_text(value)), Ok(value));
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,24}") {
        for error in [size_bytes(&text).err(), time_ns(&text).err()].into_iter().flatten() {
            prop_assert_eq!(&error.text, &text);
        }
    }
}
