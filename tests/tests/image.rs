//! The boot image: the same bytes each time, booted by a BIOS and by UEFI, and never
//! a target itself.

use std::fs;
use std::path::Path;
use tests::{Scenario, boot, call, device, raw, run};
use xtask::serial::{Followed, verdict};

const HARM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/harm.fio");
const SHORT: [&str; 4] = ["--set", "runtime=200ms", "--set", "ramp_time=0"];

/// Makes an image with the harmful job and gives its bytes.
fn image(format: &str, name: &str, job: &[&str]) -> Vec<u8> {
    let called = call("image", &[&["--format", format], job].concat());
    assert_eq!(called.code, 0, "{}", called.err);
    let path = called.file(name);
    assert_eq!(called.out.trim_end(), path.display().to_string());
    fs::read(path).expect("the image that was named")
}

#[test]
fn two_images_of_one_job_are_the_same_by_any_name() {
    let job = ["--job", HARM];
    let first = image("raw", "ioprobe.img", &job);
    assert!(
        first == image("raw", "ioprobe.img", &job),
        "the bytes differ"
    );
    assert!(
        first == image("iso", "ioprobe.iso", &job),
        "the bytes differ"
    );
    let other = image("iso", "ioprobe.iso", &[]);
    let build = |image: &[u8]| proto::boot_image::build_of(image).map(str::to_owned);
    assert!(build(&first).is_some());
    assert_ne!(build(&first), build(&other));
}

#[test]
fn firmware_boots_it_as_a_cd() {
    for firmware in ["bios", "uefi"] {
        let called = run(&Scenario {
            name: firmware,
            flags: &[&SHORT[..], &["--firmware", firmware]].concat(),
            code: 0,
            says: &["randread"],
            // Polled and by interrupts, at two depths.
            rows: 4,
        });
        let result = called.result();
        assert_eq!(result["guest"]["boot"], firmware);
        assert_eq!(result["guest"]["job_source"], "fw_cfg");
    }
}

/// What the guest said, if it came to its end.
fn ended(followed: &Followed) -> &Followed {
    let ended = verdict(&followed.stop, &followed.said, &followed.stderr);
    ended.unwrap_or_else(|failure| panic!("{failure}: {:?}", followed.said.text));
    followed
}

#[test]
fn booted_from_a_disk_it_does_its_own_job_and_leaves_the_disk_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let before = image("raw", "ioprobe.img", &["--job", HARM]);
    fs::write(path("boot"), &before).unwrap();
    fs::write(path("data"), vec![0; 16 << 20]).unwrap();
    // The boot disk's controller comes first on the command line and last on the bus.
    let parts = [
        device("pvscsi,id=a,addr=7"),
        raw("boot", &path("boot"), false),
        device("scsi-hd,bus=a.0,drive=boot,bootindex=0"),
        device("pvscsi,id=b,addr=3"),
        raw("data", &path("data"), false),
        device("scsi-hd,bus=b.0,drive=data"),
    ];
    for _ in 0..2 {
        let followed = boot(&parts);
        let said = &ended(&followed).said;
        assert_eq!(said.hello.as_ref().unwrap().job_source, "ramdisk");
        assert_eq!(said.guest.as_ref().unwrap()["boot"], "bios");
        assert_eq!(said.ignored.len(), 1, "{:?}", said.ignored);
        assert_eq!(said.ignored[0]["id"], "pvscsi@00:07.0:0:0");
        let reason = said.ignored[0]["reason"].as_str().unwrap();
        let build = proto::boot_image::build_of(&before).unwrap();
        assert!(
            reason.contains("boot medium") && reason.contains(build),
            "{reason}"
        );
        assert_eq!(said.rows.len(), 1);
        assert_eq!(said.rows[0].run.disk, "pvscsi@00:03.0:0:0");
        assert!(said.rows[0].run.commands.write > 0);
        assert!(
            fs::read(path("boot")).unwrap() == before,
            "the boot medium changed"
        );
    }
    let data = fs::read(path("data")).unwrap();
    assert!(data.iter().any(|&byte| byte != 0), "nothing was written");
}

#[test]
fn an_image_on_another_bus_is_left_alone_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("image");
    fs::write(&path, image("raw", "ioprobe.img", &[])).unwrap();
    let backend = path.to_str().unwrap();
    let called = call("identify", &["--controller", "nvme", "--backend", backend]);
    assert_eq!(called.code, 0, "{}", called.err);
    let left = called.out.split("left alone").nth(1).unwrap_or_default();
    assert!(left.contains("nvme@00:03.0:1"), "{}", called.out);
    assert!(left.contains("boot medium"), "{}", called.out);
    assert!(!Path::new(&called.folder).join("boot.img").exists());
}
