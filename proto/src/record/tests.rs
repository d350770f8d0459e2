use super::*;
use crate::result::sample;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use proptest::prelude::*;

/// One record of every kind but the last.
fn every_kind() -> Vec<Record> {
    let note = |text: &str| Note {
        text: text.to_string(),
    };
    vec![
        Record::Hello(Hello {
            version: VERSION,
            tool: "ioprobe 0.1.0".to_string(),
            job_source: "fw_cfg".to_string(),
            row_protocol: true,
        }),
        Record::Guest(sample::guest()),
        Record::Controller(sample::controller()),
        Record::Disk(sample::disk()),
        Record::Ignored(sample::ignored()),
        Record::Plan(Plan {
            rows: 2,
            planned_ns: Some(5_000_000_000),
        }),
        Record::StartWait(StartWait {
            row: 0,
            job: "quick-a".to_string(),
            start_at: "2026-12-01T10:00:00Z".to_string(),
            wait_ns: 1,
        }),
        Record::RowBegin(RowBegin {
            row: 0,
            job: "quick-a".to_string(),
            disk: "pvscsi@00:03.0:0:0".to_string(),
            planned_ns: None,
        }),
        Record::Trace(Trace::new(
            0,
            "quick-a",
            &["pvscsi@00:03.0".to_string()],
            0,
            &[TraceIo::default(); 3],
        )),
        Record::Row(Box::new(sample::run())),
        Record::Note(note(
            "a \u{1b}[1m bell \u{7} and a line\nfeed, @ioprobe 0 2 00000000 {}",
        )),
        Record::Progress(Progress {
            what: "first_io".to_string(),
            at_ns: u64::MAX,
        }),
        Record::Fatal(note("row 1: gone")),
    ]
}

fn end(records: u64) -> Record {
    Record::End(End {
        records,
        ok: 1,
        failed: 0,
        skipped: 1,
    })
}

/// A good log as its lines.
fn good_lines() -> Vec<String> {
    let mut records = every_kind();
    records.push(end(records.len() as u64));
    (0..)
        .zip(&records)
        .map(|(seq, record)| encode(seq, record))
        .collect()
}

fn decode_in(chunks: impl IntoIterator<Item = impl AsRef<[u8]>>) -> (Vec<Event>, Summary) {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk.as_ref(), |event| events.push(event));
    }
    let summary = decoder.finish(|event| events.push(event));
    (events, summary)
}

fn decode(bytes: impl AsRef<[u8]>) -> (Vec<Event>, Summary) {
    decode_in([bytes])
}

fn typed(events: &[Event]) -> Vec<Record> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Record(raw) => match raw.view() {
                View::Known(record) => Some(*record),
                other => panic!("{other:?}"),
            },
            _ => None,
        })
        .collect()
}

#[test]
fn the_line_is_as_documented() {
    let record = Record::Note(Note {
        text: "hi".to_string(),
    });
    let json = r#"{"record":"note","text":"hi"}"#;
    let crc = crate::crc32c::of(json.as_bytes());
    assert_eq!(
        encode(7, &record),
        format!("@ioprobe 7 29 {crc:08x} {json}\n")
    );
}

#[test]
fn a_good_log_is_whole() {
    let (events, summary) = decode(good_lines().concat());
    let mut expected = every_kind();
    expected.push(end(13));
    assert_eq!(typed(&events), expected);
    assert_eq!(events.len(), 14);
    assert!(summary.is_whole());
    assert_eq!((summary.records, summary.promised), (14, Some(13)));
}

#[test]
fn the_writer_numbers_and_counts() {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(|part: &[u8]| bytes.extend_from_slice(part));
    for record in every_kind() {
        writer.record(&record);
        writer.text("for a person");
    }
    assert_eq!(writer.written(), 13);
    writer.end(1, 0, 1);
    let (events, summary) = decode(bytes);
    assert_eq!(typed(&events).last(), Some(&end(13)));
    assert!(summary.is_whole());
}

#[test]
fn kinds_are_listed_as_they_are_written() {
    let mut records = every_kind();
    records.push(end(0));
    let kinds: Vec<String> = records
        .iter()
        .map(|record| {
            serde_json::to_value(record).unwrap()[TAG]
                .as_str()
                .unwrap()
                .into()
        })
        .collect();
    assert_eq!(kinds, Record::KINDS);
}

#[test]
fn firmware_noise_and_terminal_control_do_not_matter() {
    let lines = good_lines();
    let mut log = b"SeaBIOS (version 1.16)\r\n\x1b[2J\x1b[01;01H\x1b[=3hiPXE".to_vec();
    for line in &lines {
        // In mid-line after noise, with colour inside, ended by CR LF.
        let (head, tail) = line.trim_end().split_at(line.len() / 2);
        log.extend_from_slice(format!("\x1b[0m{head}\x1b[1;32m{tail}\x1b[0m\r\n").as_bytes());
    }
    let (events, summary) = decode(log);
    assert_eq!(typed(&events).len(), lines.len());
    assert!(summary.is_whole(), "{summary:?}");
    assert_eq!(
        events
            .iter()
            .filter(|event| !matches!(event, Event::Record(_)))
            .collect::<Vec<_>>(),
        [
            &Event::Text("SeaBIOS (version 1.16)".to_string()),
            &Event::Text("iPXE".to_string()),
        ]
    );
}

#[test]
fn no_text_moves_a_cursor() {
    // U+009B is `ESC [` to a terminal that takes both.
    let (events, _) = decode("a\u{9b}2Jb\n\u{85}\u{9d} \n");
    assert_eq!(events, [Event::Text("a2Jb".to_string())]);
}

#[test]
fn a_lost_line_feed_costs_nothing() {
    let lines = good_lines();
    let log: String = lines.iter().map(|line| line.trim_end()).collect();
    let (events, summary) = decode(log);
    assert_eq!(typed(&events).len(), lines.len());
    assert!(summary.is_whole());
}

#[test]
fn what_is_missing_is_named() {
    let mut lines = good_lines();
    lines.remove(5);
    lines.remove(2);
    lines.remove(2);
    let (events, summary) = decode(lines.concat());
    let gaps: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Gap(missing) => Some(missing.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(gaps, [2..=3, 5..=5]);
    assert_eq!(summary.missing, gaps);
    assert_eq!(summary.records, 11);
    assert!(!summary.is_whole());
}

#[test]
fn a_missing_tail_is_noticed() {
    let mut lines = good_lines();
    lines.pop();
    let (_, summary) = decode(lines.concat());
    assert_eq!((summary.records, summary.promised), (13, None));
    assert!(!summary.is_whole());

    let log = good_lines().concat();
    let (events, summary) = decode(&log[..log.len() - 5]);
    assert!(
        matches!(
            events.last(),
            Some(Event::Damaged {
                seq: Some(13),
                why: Damage::Cut {
                    promised: 59,
                    present: 55
                },
            })
        ),
        "{:?}",
        events.last()
    );
    assert_eq!((summary.damaged, summary.promised), (1, None));
}

#[test]
fn a_record_that_is_last_but_for_its_line_feed_counts() {
    let log = good_lines().concat();
    let (_, summary) = decode(log.trim_end());
    assert!(summary.is_whole());
}

#[test]
fn damage_is_told_by_kind() {
    let good = encode(4, &end(4));
    for (line, seq, why) in [
        (
            good.replace("@ioprobe 4", "@ioprobe x"),
            None,
            "its header cannot be read",
        ),
        (
            good.replace("@ioprobe 4", "@ioprobe +4"),
            None,
            "its header cannot be read",
        ),
        (
            good.replace(" 58 ", " 5_ "),
            Some(4),
            "its header cannot be read",
        ),
        (
            good.replace(" 58 ", " 999 "),
            Some(4),
            "it is cut: 58 of 999 bytes are there",
        ),
    ] {
        assert_ne!(line, good);
        let (events, summary) = decode(&line);
        let [
            Event::Damaged {
                seq: found,
                why: damage,
            },
        ] = &events[..]
        else {
            panic!("{events:?}");
        };
        assert_eq!((*found, damage.to_string().as_str()), (seq, why));
        assert_eq!(summary.damaged, 1);
    }
    let (events, _) = decode(good.replace("\"ok\":1", "\"ok\":2"));
    assert!(matches!(
        events[..],
        [Event::Damaged {
            seq: Some(4),
            why: Damage::Checksum { .. }
        }]
    ));
    let crc = crate::crc32c::of(b"[1]");
    let (events, _) = decode(format!("@ioprobe 4 3 {crc:08x} [1]\n"));
    assert_eq!(
        events,
        [Event::Damaged {
            seq: Some(4),
            why: Damage::Json
        }]
    );
}

#[test]
fn a_guest_that_starts_anew_is_seen() {
    let lines = good_lines();
    let (events, summary) = decode(lines[..3].concat() + &lines.concat());
    assert!(events.contains(&Event::OutOfOrder {
        expected: 3,
        found: 0
    }));
    assert_eq!((summary.records, summary.out_of_order), (17, 1));
    assert!(!summary.is_whole());
}

#[test]
fn unknown_fields_and_kinds_of_newer_versions_are_kept() {
    let line = |seq: u64, json: &str| {
        let crc = crate::crc32c::of(json.as_bytes());
        format!("@ioprobe {seq} {} {crc:08x} {json}\n", json.len())
    };
    let log = line(
        0,
        r#"{"record":"note","text":"a","depth":18446744073709551615}"#,
    ) + &line(1, r#"{"record":"weather","sky":"blue"}"#)
        + &line(2, r#"{"record":"weather","sky":"grey"}"#)
        + &line(3, r#"{"record":"note"}"#)
        + &line(4, r#"{"sky":"blue"}"#);
    let (events, summary) = decode(log);
    let records: Vec<&RawRecord> = events
        .iter()
        .map(|event| match event {
            Event::Record(record) => record,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(records[0].value["depth"].as_u64(), Some(u64::MAX));
    assert!(matches!(records[0].view(), View::Known(_)));
    assert_eq!(records[1].value["sky"], "blue");
    assert_eq!(records[1].view(), View::UnknownKind("weather".to_string()));
    assert!(matches!(records[3].view(), View::Unfit(why) if why.contains("text")));
    assert_eq!(records[4].view(), View::UnknownKind(String::new()));
    assert_eq!(summary.unknown_kinds.get("weather"), Some(&2));
    assert_eq!(summary.unknown_kinds.get(""), Some(&1));
}

#[test]
fn a_newer_version_is_refused_with_the_version_needed() {
    let mut records = every_kind();
    if let Record::Hello(hello) = &mut records[0] {
        hello.version = VERSION + 1;
    }
    let log: String = (0..)
        .zip(&records)
        .map(|(seq, record)| encode(seq, record))
        .collect();
    let (events, summary) = decode(log);
    assert_eq!(events, [Event::TooNew { version: 2 }]);
    assert_eq!((summary.records, summary.refused), (0, 13));
    assert!(!summary.is_whole());
}

#[test]
fn a_line_without_end_is_bounded() {
    let mut log = vec![b'x'; MAX_LINE_BYTES + 10];
    log.push(b'\n');
    log.extend_from_slice(encode(0, &end(0)).as_bytes());
    let (events, summary) = decode(log);
    assert!(matches!(&events[0], Event::Text(text) if text.len() == MAX_LINE_BYTES));
    assert_eq!(
        events[1],
        Event::Damaged {
            seq: None,
            why: Damage::TooLong
        }
    );
    assert_eq!((summary.records, summary.damaged), (1, 1));
}

#[test]
fn row_protocol_lines() {
    assert_eq!(sync_line(12), "sync 12\n");
    assert_eq!(go_line(u64::MAX), "go 18446744073709551615\n");
    assert_eq!(parse_sync("sync 12\n"), Some(12));
    assert_eq!(parse_sync("  sync 12\r\n"), Some(12));
    assert_eq!(parse_go("go 0"), Some(0));
    for bad in [
        "sync", "sync ", "sync x", "sync +1", "sync 1 2", "resync 1", "go 1", "Sync 1",
    ] {
        assert_eq!(parse_sync(bad), None, "{bad}");
    }
    assert_eq!(parse_go("sync 1"), None);
    let (events, _) = decode("boot\nsync 4\r\nnot sync 5\n");
    assert_eq!(
        events,
        [
            Event::Text("boot".to_string()),
            Event::Sync(4),
            Event::Text("not sync 5".to_string()),
        ]
    );
}

/// Noise as firmware makes it: any bytes but line feeds and the mark itself.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let control = proptest::sample::select(vec![
        &b"\x1b[2J"[..],
        b"\x1b[01;31m",
        b"\r\n",
        b"\n\n",
        b"\x1b(B",
        b"@ioprobe",
        b"sync 1\n",
        b"@ioprobe 3 4 00000000 {}\n",
    ]);
    let plain = proptest::collection::vec(any::<u8>(), 0..40);
    prop_oneof![control.prop_map(<[u8]>::to_vec), plain]
}

proptest! {
    #[test]
    fn any_interleaving_of_noise_and_records_yields_every_record(
        noises in proptest::collection::vec(noise(), 15),
        chunk in 1usize..200,
    ) {
        let lines = good_lines();
        let mut log = Vec::new();
        for (noise, line) in noises.iter().zip(&lines) {
            log.extend_from_slice(noise);
            // Noise may end inside an escape sequence, which a line feed ends.
            log.push(b'\n');
            log.extend_from_slice(line.as_bytes());
        }
        log.extend_from_slice(&noises[14]);
        let (events, summary) = decode_in(log.chunks(chunk));
        prop_assert_eq!(typed(&events).len(), lines.len());
        prop_assert_eq!(summary.promised, Some(13));
        prop_assert!(summary.missing.is_empty());
    }

    #[test]
    fn printable_noise_may_stand_on_the_same_line(
        noises in proptest::collection::vec("[ -?A-~]{0,30}", 14),
    ) {
        let log: String = noises.iter().zip(good_lines()).flat_map(|(a, b)| [a.clone(), b]).collect();
        let (events, summary) = decode(log);
        prop_assert_eq!(typed(&events).len(), 14);
        prop_assert!(summary.is_whole());
    }

    #[test]
    fn any_single_damaged_byte_is_detected_or_harmless(
        at: proptest::sample::Index,
        byte: u8,
    ) {
        let lines = good_lines();
        let mut log = lines.concat().into_bytes();
        let at = at.index(log.len());
        prop_assume!(log[at] != byte);
        log[at] = byte;
        let (events, summary) = decode(&log);
        let mut expected = every_kind();
        expected.push(end(13));
        let found = typed(&events);
        // What is called a record is one that was sent, unchanged and in order.
        let mut rest = expected.iter();
        prop_assert!(found.iter().all(|record| rest.any(|sent| sent == record)));
        // One byte reaches at most the two records it stands between; and if one is lost,
        // the account says so.
        prop_assert!(found.len() + 2 >= expected.len());
if summary.is_whole() {
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn any_bytes_in_any_pieces_are_survived(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        chunk in 1usize..50,
    ) {
        let whole = decode(&bytes);
        let pieces = decode_in(bytes.chunks(chunk));
        prop_assert_eq!(whole, pieces);
    }
}
