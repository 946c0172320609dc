#!/bin/sh
# container.sh RELEASE PLACE WORK COMMAND: runs COMMAND in a root of its own, in the folder /work, which is WORK. The root
# has the programs of this machine but no Java and no Maven, and RELEASE, which nobody can write to, at PLACE. Needs root.
set -eu

export RELEASE="$1" PLACE="$2" WORK="$3" COMMAND="$4"
exec unshare -m sh -eu -c '
mkdir -p "$WORK/root"
mount -t tmpfs container "$WORK/root"
cd "$WORK/root"
mkdir -p usr proc dev/shm tmp etc work ".$PLACE"
mount --bind /usr usr
mount -o remount,bind,ro usr
for folder in bin sbin lib lib64; do
    if [ -L "/$folder" ]; then
        cp -d "/$folder" .
    elif [ -d "/$folder" ]; then
        mkdir "$folder"
        mount --bind "/$folder" "$folder"
    fi
done
for hidden in usr/lib/jvm usr/share/maven usr/local; do
    [ ! -d "$hidden" ] || mount -t tmpfs container "$hidden"
done
mount --rbind /proc proc
mount -t tmpfs container dev/shm
for device in null zero random urandom tty; do
    touch "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
for file in passwd group hosts nsswitch.conf ld.so.cache manpath.config alternatives openmpi lmod environment-modules; do
    [ ! -e "/etc/$file" ] || cp -rd "/etc/$file" etc
done
mount --bind "$RELEASE" ".$PLACE"
mount -o remount,bind,ro ".$PLACE"
mount --bind "$WORK" work
exec chroot . env -i "PATH=$PLACE/bin:/usr/bin:/bin" HOME=/tmp LC_ALL=C.UTF-8 OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 sh -c "cd /work; $COMMAND"
'
