#!/bin/sh
# boot.sh KERNEL FOLDER COMMAND MODULE…: boots a virtual machine of QEMU with another kernel than this machine's, and
# runs COMMAND (a shell script) there, as root, on a copy of this machine's files that is thrown away.
# KERNEL: a folder with boot/vmlinuz* and lib/modules or usr/lib/modules, as a kernel's package unpacks to, / if it is
# installed. FOLDER: for files of the boot. MODULE: kernel modules to load. The console goes to standard output; the
# line "machine: exit CODE" tells how COMMAND ended.
set -eu
kernel=$1
folder=$2
command=$3
shift 3

missing=
for tool in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio depmod:kmod xz:xz-utils; do
    command -v "${tool%%:*}" >/dev/null || missing="$missing ${tool##*:}"
done
[ -z "$missing" ] || { echo "packages are missing:$missing"; exit 1; }

image=$(ls -d "$kernel"/boot/vmlinuz* | sort -V | tail -n 1)
version=${image##*/vmlinuz-}
modules=$kernel/lib/modules/$version
[ -d "$modules" ] || modules=$kernel/usr/lib/modules/$version
[ -d "$modules" ] || { echo "no modules of $image in $kernel/lib/modules"; exit 1; }

root=$folder/root
rm -rf "$root"
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/files" "$root/changes" "$root/new" \
    "$root/lib/modules/$version"
cp "$(command -v busybox)" "$root/bin/busybox"
for part in fs/9p fs/netfs fs/fscache fs/overlayfs fs/configfs net/9p net/tls net/ipv4 net/ipv6 crypto \
    arch/x86/crypto lib drivers/virtio drivers/infiniband drivers/net/dummy.ko drivers/net/dummy.ko.xz; do
    if [ -e "$modules/kernel/$part" ]; then
        mkdir -p "$root/lib/modules/$version/kernel/${part%/*}"
        cp -r "$modules/kernel/$part" "$root/lib/modules/$version/kernel/$part"
    fi
done
find "$root/lib/modules" -name '*.xz' -exec xz -d {} +
cp "$modules/modules.order" "$modules/modules.builtin" "$modules/modules.builtin.modinfo" "$root/lib/modules/$version/"
depmod -b "$root" "$version"
cat >"$root/init" <<END
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
ip link set lo up
for module in virtio_pci 9p 9pnet_virtio overlay aesni_intel gcm ctr ghash_clmulni_intel $*; do
    modprobe \$module 2>/dev/null
done
mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,ro,msize=512000 files /files
mount -t tmpfs changes /changes; mkdir /changes/upper /changes/work
mount -t overlay -o lowerdir=/files,upperdir=/changes/upper,workdir=/changes/work new /new
mount -t proc proc /new/proc; mount -t sysfs sys /new/sys; mount -t devtmpfs dev /new/dev
mkdir -p /new/dev/shm; mount -t tmpfs shm /new/dev/shm; mount -t tmpfs run /new/run
hostname machine
chroot /new /bin/sh $command
echo "machine: exit \$?"
poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc 2>/dev/null) | gzip -1 >"$folder/initrd.gz"
rm -rf "$root"
# Without KVM by default: the virtual machine may itself run in one that has none.
exec qemu-system-x86_64 -accel "${TRIBUTARY_TEST_ACCEL:-tcg,thread=multi}" -cpu max -m 3000 -smp 2 \
    -nographic -no-reboot -kernel "$image" -initrd "$folder/initrd.gz" \
    -append "console=ttyS0 panic=-1 quiet no_timer_check" \
    -virtfs local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap </dev/null
