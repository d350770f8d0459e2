#!/usr/bin/env python3
"""Counts I/Os without any code of ioprobe's.

  independent.py QEMU GUEST JOB

Starts QEMU with the PVH image GUEST and one null disk on PVSCSI, gives it the job
file JOB, reads the serial port, answers `sync` by `go`, and compares the commands
and bytes that each row reports with QEMU's own block statistics at its two edges.
Prints one line per row. Exit status: 0 all agree, 1 not.
"""
import json, os, socket, subprocess, sys, tempfile, time

qemu, guest, job = sys.argv[1:4]
path = os.path.join(tempfile.mkdtemp(), "qmp")
machine = subprocess.Popen(
    [qemu, "-machine", "q35", "-accel", "tcg", "-cpu", "max", "-m", "64", "-nodefaults",
     "-no-user-config", "-display", "none", "-no-reboot", "-kernel", guest,
     "-fw_cfg", "name=opt/ioprobe/job,file=" + job, "-serial", "stdio",
     "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-qmp", f"unix:{path},server=on,wait=off",
     "-blockdev", "driver=null-co,node-name=n,size=1073741824,read-zeroes=on",
     "-device", "pvscsi,id=c,addr=0x5", "-device", "scsi-hd,bus=c.0,drive=n"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def connect():
    for _ in range(100):
        try:
            link = socket.socket(socket.AF_UNIX)
            link.connect(path)
            return link.makefile("rw")
        except OSError:
            time.sleep(0.05)
    sys.exit("QMP does not answer")


def ask(command):
    qmp.write(json.dumps({"execute": command}) + "\n")
    qmp.flush()
    while "return" not in (answer := json.loads(qmp.readline())):
        pass
    return answer["return"]


def disk():
    return next(d["stats"] for d in ask("query-blockstats") if d["node-name"] == "n")


rows, edges, ended = 0, {}, False
failed = False
try:
    qmp = connect()
    qmp.readline()
    ask("qmp_capabilities")
    for raw in machine.stdout:
        line = raw.decode(errors="replace").strip()
        if line.startswith("sync "):
            edges[int(line.split()[1])] = disk()
            machine.stdin.write(b"go " + line.split()[1].encode() + b"\n")
            machine.stdin.flush()
        elif line.startswith("@ioprobe "):
            record = json.loads(line.split(" ", 4)[4])
            ended = ended or record["record"] == "end"
            if record["record"] != "row":
                continue
            rows += 1
            before, after = edges[2 * record["row"]], edges[2 * record["row"] + 1]
            for ours, theirs in [("read", "rd_operations"), ("read_bytes", "rd_bytes"),
                                 ("write", "wr_operations"), ("write_bytes", "wr_bytes")]:
                said, counted = record["commands"][ours], after[theirs] - before[theirs]
                failed = failed or said != counted
                print(f"row {record['row'] + 1} {ours}: guest {said}, qemu {counted}")
    machine.wait(10)
finally:
    machine.kill()
sys.exit(1 if failed or not ended or rows == 0 else 0)
