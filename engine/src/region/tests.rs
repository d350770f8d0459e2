use super::*;
use proto::job::{BlockSizes, Rw};

fn disk(blocks: u64, block: u32, physical: u32) -> Disk {
    let clock = crate::fake::HandClock::new(0, 1, 1);
    let mut disk = crate::fake::Device::new(&clock, 4, blocks, block, 1)
        .disks
        .remove(0);
    disk.physical_block_bytes = physical;
    disk
}

fn job(bs: u64) -> Params {
    let mut params = Params::new("job");
    params.bs = BlockSizes {
        read_bytes: bs,
        trim_bytes: 4096,
        write_bytes: bs,
    };
    params
}

fn region(start_bytes: u64, len_bytes: u64) -> Result<Region, String> {
    Ok(Region {
        start_bytes,
        len_bytes,
    })
}

const MIB: u64 = 1 << 20;

#[test]
fn without_size_and_offset_it_is_the_whole_disk() {
    let disk = disk(131_072, 512, 512);
    assert_eq!(
        Region::resolve(&job(4096), &disk, false),
        region(0, 64 * MIB)
    );
}

#[test]
fn a_stamped_disk_keeps_its_ends() {
    let disk = disk(131_072, 512, 512);
    assert_eq!(
        Region::resolve(&job(4096), &disk, true),
        region(MIB, 62 * MIB)
    );
    let small = self::disk(2048, 512, 512);
    assert_eq!(
        Region::resolve(&job(512), &small, true),
        region(4096, MIB - 8192)
    );
}

#[test]
fn offset_and_size_are_of_the_disk() {
    let disk = disk(131_072, 512, 512);
    let mut params = job(4096);
    params.offset = Extent::Bytes(16 * MIB);
    params.size = Some(Extent::Bytes(8 * MIB));
    assert_eq!(
        Region::resolve(&params, &disk, true),
        region(16 * MIB, 8 * MIB)
    );
    params.offset = Extent::Percent(50);
    params.size = Some(Extent::Percent(25));
    assert_eq!(
        Region::resolve(&params, &disk, true),
        region(32 * MIB, 16 * MIB)
    );
    params.size = Some(Extent::Bytes(1 << 40));
    assert_eq!(
        Region::resolve(&params, &disk, true),
        region(32 * MIB, 31 * MIB)
    );
    params.offset = Extent::Percent(100);
    assert!(Region::resolve(&params, &disk, false).is_err());
}

#[test]
fn blocks_that_the_disk_does_not_have_are_refused() {
    let native = disk(16_384, 4096, 4096);
    for bs in [512, 1024, 4608, 0] {
        let error = Region::resolve(&job(bs), &native, false).unwrap_err();
        assert_eq!(
            error,
            format!("bs={bs} is no multiple of the disk's 4096 B blocks")
        );
    }
    assert!(Region::resolve(&job(4096), &native, false).is_ok());
    let mut params = job(4096);
    params.offset = Extent::Bytes(512);
    let error = Region::resolve(&params, &native, false).unwrap_err();
    assert_eq!(
        error,
        "offset=512 is no multiple of the disk's 4096 B blocks"
    );
}

#[test]
fn only_the_block_sizes_in_use_count() {
    let native = disk(16_384, 4096, 4096);
    let mut params = job(4096);
    params.bs.write_bytes = 512;
    params.rw = Rw::RandRead;
    assert!(Region::resolve(&params, &native, false).is_ok());
    params.rw = Rw::RandRw;
    assert!(Region::resolve(&params, &native, false).is_err());
}

#[test]
fn a_disk_of_one_block_runs_one_block() {
    let tiny = disk(1, 512, 512);
    assert_eq!(Region::resolve(&job(512), &tiny, false), region(0, 512));
    let error = Region::resolve(&job(4096), &tiny, false).unwrap_err();
    assert!(error.contains("not one block of 4096 B"), "{error}");
}

#[test]
fn a_512e_disk_marks_what_straddles_its_blocks() {
    let emulated = disk(131_072, 512, 4096);
    let misaligned = |params: &Params| {
        let region = Region::resolve(params, &emulated, false).unwrap();
        region.is_misaligned(params, &emulated)
    };
    assert!(misaligned(&job(512)));
    assert!(misaligned(&job(4608)));
    assert!(!misaligned(&job(4096)));
    let mut shifted = job(4096);
    shifted.offset = Extent::Bytes(512);
    assert!(misaligned(&shifted));
}

#[test]
fn the_largest_disk_does_not_overflow() {
    let disk = disk(u64::MAX / 512, 512, 512);
    let mut params = job(4096);
    params.offset = Extent::Percent(99);
    params.size = Some(Extent::Bytes(u64::MAX));
    let region = Region::resolve(&params, &disk, true).unwrap();
    assert!(region.start_bytes + region.len_bytes <= disk.blocks * 512 - MIB);
}

#[test]
fn what_is_left_out_is_whole_blocks() {
    let mut params = job(4096);
    params.rw_hole_bytes = 512;
    assert!(Region::resolve(&params, &disk(131_072, 512, 512), false).is_ok());
    let why = Region::resolve(&params, &disk(16_384, 4096, 4096), false).unwrap_err();
    assert_eq!(
        why,
        "rw=read:512 leaves out no multiple of the disk's 4096 B blocks"
    );
}
