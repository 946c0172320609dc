#!/bin/sh
# build.sh TARGET CLASS-PATH: makes the documents a site, TARGET/site, which asks no other machine for anything. npm
# fetches the generator that package-lock.json names, once.
set -eu

target=$1
classes=$2
here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
root=$here/..
needed=20
node=$(node -p process.versions.node 2>/dev/null) || node=none
command -v npm >/dev/null && [ "$node" != none ] && [ "${node%%.*}" -ge $needed ] || {
    echo "the site needs npm and Node.js $needed or newer, and this machine has Node.js $node (Debian 13 or newer:" \
        "apt-get install npm; otherwise https://nodejs.org)" >&2
    exit 1
}

mkdir -p "$target"
cp -r "$here/package.json" "$here/package-lock.json" "$here/.vitepress" "$target"
if ! cmp -s "$here/package-lock.json" "$target/node_modules/made-from.json"; then
    (cd "$target" && npm ci --no-audit --no-fund --loglevel=error)
    cp "$here/package-lock.json" "$target/node_modules/made-from.json"
fi

pages=$target/pages
rm -rf "$pages" "$target/site"
mkdir -p "$pages/public/javadoc"
cp "$root/README.md" "$pages/index.md"
mkdir -p "$pages/public/native/armci/bench" "$pages/public/docs/results"
cp "$root/LICENSE" "$pages/public"
cp "$root/docs/results"/*.json "$pages/public/docs/results"
cp "$root/native/armci/bench"/*.c "$pages/public/native/armci/bench"
cp -r "$root/CONTRIBUTING.md" "$root/CHANGELOG.md" "$root/docs" "$pages"

sources=
for module in config wire client-lib global-arrays testing; do
    sources=$sources:$root/$module/src/main/java
done
"${TOOLCHAIN_JAVA_HOME:+$TOOLCHAIN_JAVA_HOME/bin/}javadoc" -quiet -Xdoclint:all,-missing -Werror -notimestamp \
    -windowtitle Tributary -doctitle Tributary \
    --class-path "$classes" --source-path "${sources#:}" -d "$pages/public/javadoc" \
    -subpackages org.tributary.config:org.tributary.client:org.tributary.globalarrays:org.tributary.testing \
    org.tributary.wire.shape "$root/wire/target/generated-sources/sbe/org/tributary/wire/codec/LockMode.java"

(cd "$target" && npx vitepress build --logLevel warn)
