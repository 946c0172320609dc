#!/bin/sh
# package.sh TARGET VERSION TIME: puts the archive of a release together, from what Maven has made in TARGET and in the
# modules. All files get the same TIME: the caches of classes are for jars of that age, and two builds make the same.
set -eu
umask 022 # what is made here, all may read

target=$1
version=$2
time=$3
here=$(dirname "$(readlink -f "$0")")
root=$here/..
native=$root/native/target
dist=$root/launcher/target/dist
name=tributary-$version-linux-$(uname -m)
stage=$target/stage/$name
short=$(echo "$version" | sed 's/\([0-9]*\.[0-9]*\).*/\1/')

"$root/native/build.sh" "$native" release
rm -rf "$target/stage" "$target/archives"
mkdir -p "$stage" "$target/archives"
cp -rp "$native/release/." "$stage"

own=$stage/lib/tributary
mkdir -p "$own" "$stage/bin"
cp -rp "$dist/lib" "$dist"/*-jvm-options "$root/launcher/src/main/sh/start.sh" "$own"
case $(uname -m) in # of Netty's library for the kernel's interfaces, one
x86_64) rm -f "$own/lib"/netty-*-linux-aarch_64.jar "$own/lib/native"/*_aarch_64.so ;;
aarch64) rm -f "$own/lib"/netty-*-linux-x86_64.jar "$own/lib/native"/*_x86_64.so ;;
esac
cp -rp "$target/runtime" "$own/runtime"
install -m 755 "$here/src/main/bin/tributary" "$stage/bin/tributary"

share=$stage/share
mkdir -p "$share/man" "$share/bash-completion/completions" "$share/modulefiles/tributary" "$share/doc/tributary"
cp -r "$target/man/man1" "$share/man/man1"
cp "$here/src/main/modulefiles/tributary" "$share/modulefiles/tributary/$version"
cp "$here/src/main/modulefiles/tributary.lua" "$share/modulefiles/tributary/$version.lua"
cp -r "$here/src/main/examples" "$share/tributary-examples"
cp "$root/native/test/consumer/ring.c" "$share/tributary-examples/c"
cp -r "$root/README.md" "$root/CHANGELOG.md" "$root/CONTRIBUTING.md" "$root/docs" "$share/doc/tributary"
mkdir -p "$share/doc/tributary/native/armci/bench"
cp "$root/native/armci/bench"/*.c "$share/doc/tributary/native/armci/bench" # which pages link to
cp -r "$root/LICENSE" "$target/THIRD-PARTY.txt" "$target/licenses" "$share/doc/tributary"
cp "$root/LICENSE" "$stage"
texts=$share/doc/tributary/licenses
find "$texts" -type d -empty -delete

# Texts that jars do not bring. The Apache licence is that of Tributary, too.
licence() { # JAR FOLDER...
    to=$texts/$1-jar
    shift
    mkdir -p "$to"
    for from; do
        cp -r "$from" "$to"
    done
}
for jar in "$own/lib"/*.jar "$own/lib"/*/*.jar; do
    jar=$(basename "$jar" .jar)
    mine=$here/src/main/licenses
    case $jar in
    tributary-*) ;;
    netty-*) licence "$jar" "$root/LICENSE" "$mine/netty"/* ;;
    asm-[0-9]* | asm-analysis-* | asm-commons-* | asm-tree-* | asm-util-*) licence "$jar" "$mine/asm"/* ;;
    jopt-simple-*) licence "$jar" "$mine/jopt-simple"/* ;;
    jnr-x86asm-*) licence "$jar" "$mine/jnr-x86asm"/* ;;
    jffi-*) licence "$jar" "$root/LICENSE" "$mine/jffi"/* ;;
    jmh-core-*) licence "$jar" "$target/sources/$jar-sources.jar" ;; # its licence wants the source beside
    agrona-* | ejml-* | error_prone_annotations-* | gson-* | jnr-a64asm-* | jnr-ffi-* | jspecify-* | picocli-* \
        | prometheus-metrics-*) licence "$jar" "$root/LICENSE" ;;
    *) [ -d "$texts/$jar-jar" ] || { echo "there is no text of the licence of $jar.jar" >&2; exit 1; } ;;
    esac
done
sed -i "s/@VERSION@/$version/g; s/@SHORT_VERSION@/$short/g" "$share/modulefiles/tributary"/* \
    "$share/tributary-examples/java/pom.xml" "$share/tributary-examples/c/CMakeLists.txt"

# A repository for builds with Maven: the jars that programs and their tests use, which lie in lib/tributary, with their
# poms.
for pom in "$target"/repository/org/tributary/*/"$version"/*.pom "$target"/repository/org/agrona/agrona/*/*.pom; do
    folder=$(dirname "$pom")
    to=$share/maven/${folder#"$target"/repository/}
    jar=$(basename "$pom" .pom).jar
    lies=$own/lib/rank/$jar
    case $jar in tributary-testing-* | tributary-runtime-server-*) lies=$own/lib/$jar ;; esac
    if [ -f "$lies" ]; then
        mkdir -p "$to"
        ln -s "$(realpath -m --relative-to="$to" "$lies")" "$to/$jar"
        cp "$pom" "$to"
    elif [ "$(basename "$(dirname "$folder")")" = tributary-bom ]; then
        mkdir -p "$to"
        cp "$pom" "$to"
    fi
done

# Nobody but its owner writes to a release, and all may read it.
chmod -R u=rwX,go=rX "$stage"
find "$stage" -exec touch -h -d "$time" {} +
java=$own/runtime/bin/java
"$java" -Xshare:dump >/dev/null
"$java" "@$root/config/src/main/resources/org/tributary/config/jvm-options" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
    -cp "$own/lib/tributary-launcher.jar" org.tributary.launcher.cli.AotCaches "$own"
"$stage/bin/tributary" completion >"$share/bash-completion/completions/tributary"
find "$stage" -newermt "$time" -exec touch -h -d "$time" {} +

archive=$target/archives/$name.tar.gz
tar -C "$target/stage" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -n >"$archive"
echo "made $archive ($(($(stat -c %s "$archive") >> 20)) MiB)"
