#!/bin/bash
# Makes the Linux peer: Debian's kernel, busybox and fio, as vmlinuz and
# initramfs.cpio in the folder given. Packages are downloaded and unpacked
# there; nothing is installed on this host.
#
# Debian and its children only: it needs apt-get, apt-cache and dpkg-deb.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
out=${1:?usage: build.sh FOLDER}
for tool in apt-get apt-cache dpkg-deb; do
  command -v $tool >/dev/null || { echo "$tool is missing: the Linux peer can be built on Debian only" >&2; exit 3; }
done
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "the Linux peer can be built on amd64 only" >&2; exit 3; }
mkdir -p "$out/packages"
cd "$out"

# The kernel's real package, and the libraries that fio may need.
kernel=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ {print $2; exit}')
[ -n "$kernel" ] || { echo "apt knows no linux-image-amd64: apt-get update?" >&2; exit 3; }
libraries=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances fio | grep -E '^(lib[a-z0-9.+-]+|zlib1g)$' | sort -u)
# Names that only other packages provide have no version to download.
libraries=$(apt-cache policy $libraries | awk '/^[a-z]/ {name = $1} /Candidate: [^(]/ {print name}' | tr -d :)
wanted=
for package in "$kernel" busybox-static fio $libraries; do
  ls packages/"${package}"_*.deb >/dev/null 2>&1 || wanted+=" $package"
done
if [ -n "$wanted" ]; then
  (cd packages && apt-get download -qq $wanted) >&2 || { echo "apt-get download failed: apt-get update?" >&2; exit 3; }
fi

rm -rf unpacked root
mkdir unpacked root
for package in packages/*.deb; do dpkg-deb -x "$package" unpacked; done
version=$(ls unpacked/lib/modules)
cp "unpacked/boot/vmlinuz-$version" vmlinuz

mkdir -p root/{bin,dev,proc,sys,tmp,modules}
cp unpacked/bin/busybox root/bin/
cp unpacked/usr/bin/fio root/bin/
cp "$here/init" root/init
cp "$here/mark" root/bin/mark
chmod 755 root/init root/bin/*

# The libraries fio loads, as its own dynamic linker resolves them among those
# just unpacked. They all go to one folder, where the guest looks for them.
linker=$(readlink -f unpacked/lib64/ld-linux-x86-64.so.2 || true)
[ -e "$linker" ] || linker=$(find unpacked -name 'ld-linux-x86-64.so.2' ! -type l | head -1)
folders=$(find "$PWD/unpacked" -name '*.so*' -path '*/x86_64-linux-gnu/*' -printf '%h\n' | sort -u | paste -sd:)
mkdir -p root/lib root/lib64
"$linker" --inhibit-cache --library-path "$folders" --list root/bin/fio |
  sed -n 's|.* => \(/[^ ]*\) .*|\1|p' | while read -r library; do cp -L "$library" root/lib/; done
cp -L "$linker" root/lib64/ld-linux-x86-64.so.2

# Modules of each controller in load order; `depends=` of .modinfo says which
# others one needs.
modules_of() {
  local file name
  file=$(find "unpacked/lib/modules/$version" -name "${1//[_-]/[_-]}.ko*" | head -1)
  [ -n "$file" ] || return 0 # built into the kernel
  case $file in
    *.xz) xz -dkf "$file"; file=${file%.xz} ;;
    *.zst) zstd -qdkf "$file"; file=${file%.zst} ;;
  esac
  for name in $(grep -azo '^depends=.*' "$file" | tr -d '\0' | sed 's/^depends=//; s/,/ /g'); do
    modules_of "$name"
  done
  echo "$file"
}
while read -r controller names; do
  for name in $names; do modules_of "$name"; done | awk '!seen[$0]++' | while read -r file; do
    cp "$file" root/modules/
    basename "$file"
  done > "root/modules/$controller.list"
done <<'END'
pvscsi sd_mod vmw_pvscsi
lsisas sd_mod mptsas
nvme nvme
virtio-scsi sd_mod virtio_pci virtio_scsi
END

(cd root && find . | ./bin/busybox cpio -o -H newc 2>/dev/null) > initramfs.cpio
rm -rf unpacked root
echo "$version"
