#!/bin/sh
# Runs a command on an emulated host, in place of ssh for mpirun and mpiexec: emulated-host.sh [-x] HOST COMMAND...
# It has a host name, System V memory and a /dev/shm of its own, so that MPI's ranks share memory with those of their
# host only, and reaches the others by TCP over loopback. Needs root.
set -eu

while [ "${1#-}" != "${1:?no host}" ]; do
    shift # Hydra's options for ssh
done
# shellcheck disable=SC2016
exec unshare --uts --ipc --mount sh -c '
    hostname "$1"
    mount -t tmpfs -o mode=1777 shm /dev/shm
    shift
    eval "$*"' emulated-host "$@"
