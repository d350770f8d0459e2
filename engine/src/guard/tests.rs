use super::*;
use crate::fake::{Answer, Device, HandClock};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use drivers::block::{Controller, DiskId, Sense, Status};
use proto::boot_image;
use proto::pattern;
use proto::result::DiskInfo;
use proto::scratch;

const DISK_BYTES: u64 = 64 << 20;

fn device(block: u32) -> (Device, HandClock) {
    let clock = HandClock::new(0, 10, 1_000);
    let device = Device::new(&clock, 4, DISK_BYTES / u64::from(block), block, 1_000);
    (device, clock)
}

fn seen(device: &mut Device, clock: &HandClock) -> Look {
    device.set_buffers(1, 64 << 10).unwrap();
    look(&mut Reader::new(device, clock, DiskId(0), 64 << 10)).unwrap()
}

fn contents(device: &mut Device, clock: &HandClock) -> Contents {
    seen(device, clock).contents.unwrap()
}

fn info(id: &str, controller: &str) -> DiskInfo {
    DiskInfo {
        id: id.to_string(),
        name_in_vsphere: String::new(),
        controller: controller.to_string(),
        serial: String::new(),
        wwid: String::new(),
        vendor: String::new(),
        model: String::new(),
        blocks: 1,
        block_size: 512,
        read_only: false,
        write_allowed: false,
        write_reason: String::new(),
        holds: None,
    }
}

const ID: &str = "pvscsi@00:03.0:0:0";

fn one() -> DiskInfo {
    info(ID, "pvscsi@00:03.0")
}

fn verdict(look: &Look, scratch: &[&str], allow: &[&str]) -> Verdict {
    let strings =
        |words: &[&str]| -> vec::Vec<String> { words.iter().map(ToString::to_string).collect() };
    let disk = one();
    let token = tokens_for(&strings(allow), &disk, core::slice::from_ref(&disk));
    decide(&disk, look, &strings(scratch), &token)
}

fn stamp(device: &mut Device, nonce: &str) {
    let block = u64::from(device.disks[0].block_size_bytes);
    let bytes = scratch::stamp(nonce);
    device.media[0].write_bytes(0, bytes.as_bytes());
    device.media[0].write_bytes(DISK_BYTES - block, bytes.as_bytes());
}

#[test]
fn an_empty_disk_needs_a_token_and_no_second_word() {
    let (mut device, clock) = device(512);
    let look = seen(&mut device, &clock);
    assert_eq!(
        look,
        Look {
            boot_image: None,
            nonce: None,
            contents: Some(Contents::Nothing)
        }
    );
    let refused = verdict(&look, &[], &[]);
    assert!(!refused.allowed);
    assert!(
        refused.reason.ends_with(&format!("--allow-write {ID}")),
        "{}",
        refused.reason
    );
    assert!(verdict(&look, &[], &[ID]).allowed);
    assert_eq!(device.writes(), 0);
}

#[test]
fn both_ends_and_256_blocks_are_looked_at() {
    for block in [512u32, 4096] {
        let (mut device, clock) = device(block);
        contents(&mut device, &clock);
        let mut bytes = vec::Vec::new();
        for request in &device.log {
            let start = request.lba.0 * u64::from(block);
            bytes.push((start, start + u64::from(request.blocks) * u64::from(block)));
        }
        let covers = |from: u64, to: u64| {
            (from..to).step_by(512).all(|at| {
                bytes
                    .iter()
                    .any(|(start, end)| (*start..*end).contains(&at))
            })
        };
        assert!(covers(0, 1 << 20) && covers(DISK_BYTES - (1 << 20), DISK_BYTES));
        let between: alloc::collections::BTreeSet<u64> = bytes
            .iter()
            .map(|range| range.0)
            .filter(|at| (1 << 20..DISK_BYTES - (1 << 20)).contains(at))
            .collect();
        assert!(between.len() >= 256, "{}", between.len());
        let gap = between
            .iter()
            .zip(between.iter().skip(1))
            .map(|(a, b)| b - a)
            .max()
            .unwrap();
        assert!(gap <= (62 << 20) / 256 + 4096);
    }
}

#[test]
fn a_stamp_with_a_nonce_of_the_job_allows() {
    for block in [512u32, 4096] {
        let (mut device, clock) = device(block);
        stamp(&mut device, "abc123");
        let look = seen(&mut device, &clock);
        assert_eq!(look.nonce.as_deref(), Some("abc123"));
        assert_eq!(
            look.contents,
            Some(Contents::Nothing),
            "a stamp is no foreign data"
        );
        assert_eq!(
            verdict(&look, &["abc123"], &[]).reason,
            "stamped as scratch"
        );
        assert!(verdict(&look, &["abc123"], &[]).allowed);
        let other = verdict(&look, &["abc124"], &[]);
        assert!(
            !other.allowed && other.reason.contains("abc123"),
            "{}",
            other.reason
        );
    }
}

#[test]
fn a_boot_image_is_refused_whatever_is_given() {
    const BUILD: &str = "0f6f1a52-32c5-5d84-9f0a-6a1f4f3a5c11";
    for block in [512u32, 4096] {
        let (mut device, clock) = device(block);
        stamp(&mut device, "abc");
        device.media[0].write_bytes(DISK_BYTES - 512, b"EFI PART");
        let label = boot_image::label(BUILD);
        device.media[0].write_bytes(boot_image::LABEL.start as u64, label.as_bytes());
        let look = seen(&mut device, &clock);
        assert_eq!(look.boot_image.as_deref(), Some(BUILD));
        for allow in [&[][..], &[ID], &["pvscsi@00:03.0:0:0:gpt"]] {
            let verdict = verdict(&look, &["abc"], allow);
            assert!(!verdict.allowed, "{allow:?}");
            assert!(verdict.reason.contains("boot medium"), "{}", verdict.reason);
            assert!(verdict.reason.contains(BUILD), "{}", verdict.reason);
        }
        assert_eq!(no_target(&look), Some(verdict(&look, &[], &[]).reason));
        device.media[0].write_bytes(boot_image::LABEL.start as u64, b"ioprobe");
        assert_eq!(no_target(&seen(&mut device, &clock)), None);
    }
}

#[test]
fn a_stamp_at_one_end_only_is_none() {
    let (mut device, clock) = device(512);
    device.media[0].write_bytes(0, scratch::stamp("abc").as_bytes());
    assert_eq!(seen(&mut device, &clock).nonce, None);
    stamp(&mut device, "abc");
    device.media[0].write_bytes(DISK_BYTES - 512, scratch::stamp("abd").as_bytes());
    let look = seen(&mut device, &clock);
    assert_eq!(look.nonce, None);
    assert!(!verdict(&look, &["abc", "abd"], &[]).allowed);
}

#[test]
fn our_own_pattern_is_no_foreign_data_but_only_at_its_place() {
    let (mut device, clock) = device(512);
    for unit in 0..4096u64 {
        device.media[0].write(unit, &pattern::unit(unit * 512));
    }
    assert_eq!(contents(&mut device, &clock), Contents::Nothing);
    device.media[0].write(100, &pattern::unit(101 * 512));
    assert_eq!(contents(&mut device, &clock), Contents::Unknown(100 * 512));
}

#[test]
fn every_signature_is_found_where_it_stands_and_must_be_repeated() {
    for block in [512u32, 4096] {
        for signature in signature::SIGNATURES {
            let (mut device, clock) = device(block);
            let at = signature
                .at
                .offset_bytes(DISK_BYTES, u64::from(block))
                .unwrap();
            device.media[0].write_bytes(at, signature.magic);
            let look = seen(&mut device, &clock);
            let name = if signature.name == "ext" {
                "ext2"
            } else {
                signature.name
            };
            assert_eq!(
                look.contents,
                Some(Contents::Holds(name)),
                "{signature:?} on {block}"
            );
            assert!(!verdict(&look, &[], &[ID]).allowed);
            let wanted = format!("{ID}:{name}");
            let refusal = verdict(&look, &[], &[]);
            assert!(
                refusal.reason.starts_with(&format!("holds {name}; ")),
                "{}",
                refusal.reason
            );
            assert!(refusal.reason.ends_with(&format!("--allow-write {wanted}")));
            assert!(verdict(&look, &[], &[&wanted]).allowed);
            assert!(!verdict(&look, &[], &[&format!("{ID}:other")]).allowed);
        }
    }
}

#[test]
fn ext_file_systems_are_told_apart_by_their_features() {
    for (journal, extents, name) in [(0, 0, "ext2"), (4, 0, "ext3"), (4, 0x242, "ext4")] {
        let (mut device, clock) = device(512);
        device.media[0].write_bytes(1080, b"\x53\xef");
        device.media[0].write_bytes(1024 + 0x5c, &u32::to_le_bytes(journal));
        device.media[0].write_bytes(1024 + 0x60, &u32::to_le_bytes(extents));
        assert_eq!(contents(&mut device, &clock), Contents::Holds(name));
    }
}

#[test]
fn a_gpt_disk_is_gpt_though_it_has_an_mbr() {
    let (mut device, clock) = device(512);
    device.media[0].write_bytes(510, b"\x55\xaa");
    assert_eq!(contents(&mut device, &clock), Contents::Holds("mbr"));
    device.media[0].write_bytes(DISK_BYTES - 512, b"EFI PART");
    assert_eq!(contents(&mut device, &clock), Contents::Holds("gpt"));
}

#[test]
fn one_byte_of_something_else_is_unknown() {
    for at in [1, (1 << 20) - 1, DISK_BYTES - 1, DISK_BYTES - (1 << 20)] {
        let (mut device, clock) = device(512);
        device.media[0].write_bytes(at, &[7]);
        let look = seen(&mut device, &clock);
        assert_eq!(look.contents, Some(Contents::Unknown(at / 512 * 512)));
        assert!(!verdict(&look, &[], &[ID]).allowed);
        assert!(verdict(&look, &[], &[&format!("{ID}:unknown")]).allowed);
        assert!(
            verdict(&look, &[], &[ID])
                .reason
                .contains(&format!("{ID}:unknown"))
        );
    }
}

#[test]
fn scattered_data_is_found_by_the_samples() {
    let (mut device, clock) = device(512);
    // A stretch of 1 MiB in the middle: 62 MiB in 256 samples is one each 248 KiB.
    let start = 33u64 << 20;
    for unit in 0..2048 {
        device.media[0].write_bytes(start + unit * 512, &[1]);
    }
    assert!(
        matches!(contents(&mut device, &clock), Contents::Unknown(at) if (start..start + (1 << 20)).contains(&at))
    );
}

#[test]
fn a_tiny_disk_is_looked_at_whole() {
    let clock = HandClock::new(0, 10, 1_000);
    for blocks in [1u64, 2, 3000] {
        let mut device = Device::new(&clock, 4, blocks, 512, 1_000);
        assert_eq!(contents(&mut device, &clock), Contents::Nothing);
        device.media[0].write_bytes(blocks * 512 - 1, &[1]);
        assert_eq!(
            contents(&mut device, &clock),
            Contents::Unknown((blocks - 1) * 512)
        );
    }
}

#[test]
fn a_write_protected_disk_is_refused_whatever_is_given() {
    let look = Look {
        boot_image: None,
        nonce: Some("n".to_string()),
        contents: Some(Contents::Nothing),
    };
    let mut disk = one();
    disk.read_only = true;
    let verdict = decide(&disk, &look, &["n".to_string()], &Token::Named(None));
    assert_eq!(
        (verdict.allowed, verdict.reason.as_str()),
        (false, "write-protected by the device")
    );
}

#[test]
fn attention_and_busy_are_sent_again_and_errors_are_said() {
    let (mut device, clock) = device(512);
    device.plan = Box::new(|number, _| Answer {
        ticks: 100,
        status: match number {
            0 => Status::UnitAttention(Sense {
                key: 6,
                asc: 0x29,
                ascq: 0,
            }),
            1 => Status::Busy,
            _ => Status::Ok,
        },
    });
    assert_eq!(contents(&mut device, &clock), Contents::Nothing);

    let medium = Status::Check(Sense {
        key: 3,
        asc: 0x11,
        ascq: 0,
    });
    device.plan = Box::new(move |_, _| Answer {
        ticks: 100,
        status: medium,
    });
    let error = look(&mut Reader::new(&mut device, &clock, DiskId(0), 64 << 10)).unwrap_err();
    assert_eq!(
        error,
        ReadError::Failed {
            lba: 0,
            status: medium
        }
    );
    assert_eq!(
        error.to_string(),
        "reading block 0 failed: check condition, sense 3/11/00"
    );
}

#[test]
fn a_read_that_never_comes_back_is_given_up() {
    let clock = HandClock::new(0, 10, 50_000_000);
    let mut device = Device::new(&clock, 4, 1000, 512, u64::MAX);
    device.set_buffers(1, 4096).unwrap();
    let error = look(&mut Reader::new(&mut device, &clock, DiskId(0), 4096)).unwrap_err();
    assert_eq!(error, ReadError::TimedOut { lba: 0 });
    assert_eq!(device.calls[0], 1, "the controller was reset");
    assert_eq!(device.in_flight(), 0);
}

#[test]
fn a_small_buffer_is_enough() {
    let (mut device, clock) = device(512);
    device.media[0].write_bytes(0x1_0040, b"_BHRfS_M");
    device.set_buffers(1, 512).unwrap();
    let look = look(&mut Reader::new(&mut device, &clock, DiskId(0), 512)).unwrap();
    assert_eq!(look.contents, Some(Contents::Holds("btrfs")));
}

mod names {
    use super::*;

    fn three() -> [DiskInfo; 3] {
        let mut nvme = info("nvme@00:04.0:1", "nvme@00:04.0");
        nvme.wwid = "eui.0011".to_string();
        [
            info("pvscsi@00:03.0:0:0", "pvscsi@00:03.0"),
            info("pvscsi@00:03.0:1:0", "pvscsi@00:03.0"),
            nvme,
        ]
    }

    fn token(disk: usize, given: &str) -> Token {
        let all = three();
        tokens_for(&[given.to_string()], &all[disk], &all)
    }

    #[test]
    fn an_id_names_one_disk() {
        assert_eq!(token(0, "pvscsi@00:03.0:0:0"), Token::Named(None));
        assert_eq!(token(1, "pvscsi@00:03.0:0:0"), Token::None);
        assert_eq!(
            token(1, "pvscsi@00:03.0:1:0:ext4"),
            Token::Named(Some("ext4".into()))
        );
        assert_eq!(
            token(2, "nvme@00:04.0:1:gpt"),
            Token::Named(Some("gpt".into()))
        );
        assert_eq!(token(2, "eui.0011"), Token::Named(None));
        assert_eq!(token(2, "nvme:xfs"), Token::Named(Some("xfs".into())));
    }

    #[test]
    fn a_name_that_fits_two_is_refused_with_the_list() {
        for given in ["pvscsi", "pvscsi@00:03.0", "pvscsi:ext4"] {
            let Token::Ambiguous(_, fits) = token(0, given) else {
                panic!("{given} names two disks");
            };
            assert_eq!(fits, ["pvscsi@00:03.0:0:0", "pvscsi@00:03.0:1:0"]);
        }
        let look = Look {
            boot_image: None,
            nonce: None,
            contents: Some(Contents::Nothing),
        };
        let refused = decide(&three()[0], &look, &[], &token(0, "pvscsi"));
        assert_eq!(
            refused.reason,
            "allow_write=pvscsi fits 2 disks (pvscsi@00:03.0:0:0, pvscsi@00:03.0:1:0); name one of them"
        );
    }

    #[test]
    fn part_of_an_address_is_neither_a_name_nor_a_signature() {
        assert_eq!(token(0, "pvscsi@00:03.0:0"), Token::None);
        assert_eq!(token(0, "00:03.0:0:0"), Token::None);
        assert_eq!(token(0, ""), Token::None);
        assert_eq!(token(0, "*"), Token::None);
    }

    #[test]
    fn of_several_tokens_the_one_with_a_word_counts() {
        let all = three();
        let both = ["nvme".to_string(), "nvme@00:04.0:1:xfs".to_string()];
        assert_eq!(
            tokens_for(&both, &all[2], &all),
            Token::Named(Some("xfs".into()))
        );
        let swapped = [both[1].clone(), both[0].clone()];
        assert_eq!(
            tokens_for(&swapped, &all[2], &all),
            Token::Named(Some("xfs".into()))
        );
    }
}
