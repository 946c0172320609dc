#!/bin/bash
# start.sh DIR PREFIX NET PORT: three "machines" on one, each with a network namespace, an address, a host name, an
# /etc/hosts and a /dev/shm of its own, and a slurmd. As root. Then SLURM_CONF=DIR/slurm.conf.
set -e
here=$(cd "$(dirname "$0")" && pwd) dir=$1 prefix=$2 net=$3 port=$4
mkdir -p "$dir/state" "$dir/munge"
for i in 0 1 2; do mkdir -p "$dir/spool-n$i" "$dir/tmp-n$i"; done
host=$(hostname -s)
sed "s/@HOST@/$host/g; s#@DIR@#$dir#g; s/@NET@/$net/g; s/@PORT@/$port/g; s#@HERE@#$here#g" "$here/slurm.conf" >"$dir/slurm.conf"
export SLURM_CONF=$dir/slurm.conf
{ echo "127.0.0.1 localhost"; echo "$net.254 $host"; for i in 0 1 2; do echo "$net.1$i n$i"; done; } >"$dir/hosts"
if [ ! -s /etc/munge/munge.key ]; then
    dd if=/dev/urandom of=/etc/munge/munge.key bs=1024 count=1 status=none
    chown munge:munge /etc/munge/munge.key && chmod 400 /etc/munge/munge.key
fi
# The daemon looks at all folders above its socket, and runs as its own user.
chmod 755 "$dir" && chown munge:munge "$dir/munge" && chmod 755 "$dir/munge"
setpriv --reuid munge --regid munge --clear-groups /usr/sbin/munged --force --socket="$dir/munge/socket" \
    --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed"
ip link add "${prefix}b" type bridge && ip addr add "$net.254/24" dev "${prefix}b" && ip link set "${prefix}b" up
for i in 0 1 2; do
    ip netns add "$prefix$i"
    ip link add "${prefix}v$i" type veth peer name eth0 netns "$prefix$i"
    ip link set "${prefix}v$i" master "${prefix}b" up
    ip -n "$prefix$i" addr add "$net.1$i/24" dev eth0
    ip -n "$prefix$i" link set eth0 up
    ip -n "$prefix$i" link set lo up
done
slurmctld -i
for i in 0 1 2; do
    # Not "ip netns exec": that mounts /sys anew, without the control groups that slurmd looks for.
    nsenter --net="/run/netns/$prefix$i" unshare --uts --mount sh -c "hostname n$i && mount -t tmpfs -o size=1g shm /dev/shm \
        && mount --bind $dir/hosts /etc/hosts && exec slurmd -N n$i"
done
for i in $(seq 150); do
    [ "$(sinfo -h -N -o %T | grep -c idle)" = 3 ] && exit 0
    sleep 0.2
done
sinfo -N -l
exit 1
