#!/bin/sh
# image.sh DOCKERFILE ARCHIVE WORK COMMAND...: builds the image without a network, on a base made of files of this Debian,
# and runs COMMAND in it. WORK, an empty folder, takes all of it. Needs root and buildah, and ends their mounts with itself.
set -eu

dockerfile=$1 archive=$2 work=$3
shift 3
packages='base-files base-passwd bash coreutils dash findutils grep libacl1 libattr1 libaudit1 libbz2-1.0 libc6
    libcap-ng0 libcrypt1 libgcc-s1 libgmp10 libpam0g libpcre2-8-0 libselinux1 libsemanage2 libsepol2 libstdc++6 libtinfo6
    passwd sed util-linux zlib1g'
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
image() {
    buildah --root "$work/store" --runroot "$work/run" "$@"
}

base=$work/base
mkdir -p "$work/context" "$base/usr/bin" "$base/usr/sbin" "$base/usr/lib" "$base/usr/lib64" "$base/etc" "$base/tmp" \
    "$base/home"
chmod 1777 "$base/tmp"
for folder in bin sbin lib lib64; do
    [ ! -L "/$folder" ] || cp -d "/$folder" "$base"
done
for package in $packages; do
    dpkg -L "$package" 2>/dev/null || true # a release of Debian has some under another name
done | grep -v '^/usr/share/' | while read -r file; do
    [ ! -f "$file" ] && [ ! -L "$file" ] || echo "$file"
done | tar -C / -cf - -T - 2>/dev/null | tar -C "$base" -xf -
cp /etc/passwd /etc/group /etc/login.defs "$base/etc"

from=$(image from scratch)
image copy --quiet "$from" "$base" / >/dev/null
image commit --quiet "$from" docker.io/library/debian:bookworm-slim >/dev/null
cp "$archive" "$work/context"
image build --pull-never --file "$dockerfile" --build-arg "ARCHIVE=$(basename "$archive")" --tag tributary "$work/context"
image run "$(image from --pull-never localhost/tributary)" -- "$@"
