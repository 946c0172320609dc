#!/bin/bash
# Builds NWChem from Debian's source package, against Debian's Global Arrays, and links the same objects twice: with
# Debian's ARMCI-MPI (bin/nwchem-armci-mpi) and with Tributary's libarmci (bin/nwchem-tributary). compare.sh runs both.
# The modules are those of SCF, DFT, gradients, Hessians, MP2 and CCSD.
# build.sh [--jobs N] FOLDER [STEP...]
#   steps: download, unpack, compile, link; all by default. The compilation takes 20 minutes on two cores, and goes on
#   where it was ended. What the compilers say goes to FOLDER/compile.log.
# TRIBUTARY_ARMCI names the folder of libarmci.a (default: native/target/cmake/armci/openmpi of this checkout, which
# 'mvn -pl native -am test-compile' makes).
set -eu

version=7.0.2
here=$(CDPATH='' cd -P "$(dirname "$0")" && pwd)
armci=$(realpath -m "${TRIBUTARY_ARMCI:-$here/../../target/cmake/armci/openmpi}")
usage="usage: build.sh [--jobs N] FOLDER [download|unpack|compile|link ...]"
jobs=$(nproc)
if [ "${1:-}" = --jobs ]; then
    jobs=${2:-}
    [[ $jobs =~ ^[1-9][0-9]*$ ]] || { echo "--jobs needs a number, not '$jobs'" >&2; exit 2; }
    shift 2
fi
case ${1:-} in '' | -*) echo "$usage" >&2; exit 2 ;; esac
folder=$(realpath -m "$1")
case $folder$armci in *[[:space:]]*)
    echo "NWChem's make takes no folder with a space: '$folder', '$armci'" >&2
    exit 2
esac
shift
steps=("$@")
[ $# -gt 0 ] || steps=(download unpack compile link)
for step in "${steps[@]}"; do
    case $step in
        download | unpack | compile | link) ;;
        *) echo "no step '$step'; $usage" >&2; exit 2 ;;
    esac
done
packages="dpkg-dev build-essential gfortran libglobalarrays-dev libarmci-mpi-dev libopenmpi-dev openmpi-bin
    libscalapack-openmpi-dev libopenblas-dev pkg-config perl zlib1g-dev"
# shellcheck disable=SC2086
missing=$(dpkg-query -W -f '${Package} ${Status}\n' $packages 2>&1 | grep -v ' installed$' \
    | sed 's/^dpkg-query: no packages found matching //; s/ .*//' | tr '\n' ' ')
[ -z "$missing" ] || { echo "not installed: $missing" >&2; exit 1; }
case " ${steps[*]} " in *" link "*)
    [ -f "$armci/libarmci.a" ] || { echo "no $armci/libarmci.a: mvn -pl native -am test-compile" >&2; exit 1; }
esac

# The environment of Debian's own build (debian/rules), for one MPI.
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
export NWCHEM_TOP=$folder/nwchem-$version
export NWCHEM_TARGET=LINUX64 USE_64TO32=yes NWCHEM_LONG_PATHS=y LARGE_FILES=TRUE
export NWCHEM_MODULES="NWints atomscf ddscf nwdft gradients moints ccsd driver"
export BLAS_SIZE=4 BLAS_LIB=-lblas LAPACK_LIB=-llapack BLASOPT="-lblas -llapack" HAS_BLAS=yes
export USE_SCALAPACK=yes SCALAPACK_SIZE=4 SCALAPACK=-lscalapack-openmpi BLACS=-lscalapack-openmpi
export FC=gfortran MPICC=mpicc.openmpi MPICXX=mpicxx.openmpi MPIF77=mpif77.openmpi MPIFC=mpifort.openmpi
export MPIF90=mpif90.openmpi
export USE_MPI=y USE_MPIF=y USE_MPIF4=y MPI_LIB=/usr/lib MPI_INCLUDE=/usr/include/$triplet/openmpi
LIBMPI=$(pkg-config ompi-fort --libs)
export LIBMPI
export EXTERNAL_GA_PATH=/usr/lib/$triplet/ga/openmpi ARMCI_NETWORK=SOCKETS USE_ARUR=yes

gnu=$(gfortran -dumpfullversion)
# Less optimization than Debian's, and no debugging symbols: half of the time. The last -O of a command counts.
safe="-fno-tree-dominator-opts -fno-aggressive-loop-optimizations"
variables=("FDEBUG=-g0 -O1 $safe" "FOPTIMIZE=-g0 -O2 $safe" "CDEBUG=-g0 -O1" "COPTIMIZE=-g0 -O1"
    "SHELL=/bin/sh" # the package's own is nice, which adds up over its nested makes
    # What each of hundreds of makes would find out by running compilers.
    "GNUMAJOR=${gnu%%.*}" "GNUMINOR=$(echo "$gnu" | cut -d. -f2)" GNU_GE_4_6=true GNU_GE_4_8=true GNU_GE_6=true
    GNU_GE_8=true GNU_GE_10=true
    GOTCLANG= GOTFREEBSD= GOTMINGW32= GOTMINGW64= "_CPU=$(uname -m)" USE_ARUR=Y
    GA_HAS_F77=Y GA_HAS_PEIGS= GA_HAS_SCALAPACK=Y GA_BLAS_SIZE=4 _USE_SCALAPACK=Y)

# Lists of packages of its own, so neither root nor sources in the machine's lists are needed.
download() {
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    cd "$folder"
    # shellcheck disable=SC1091
    release=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
    echo "deb-src http://deb.debian.org/debian $release main" >apt/sources.list
    options=(-q -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt" -o APT::Sandbox::User=
        -o Debug::NoLocking=1)
    apt-get "${options[@]}" update
    apt-get "${options[@]}" source --download-only nwchem
}

unpack() {
    cd "$folder"
    if [ ! -d "$NWCHEM_TOP" ]; then
        source=$(find . -maxdepth 1 -name "nwchem_$version-*.dsc" | sort | tail -n 1)
        [ -n "$source" ] || { echo "no nwchem_$version-*.dsc in $folder: only this version builds" >&2; exit 1; }
        dpkg-source -x "$source"
    fi
    # One of the package's patches lets make start one compiler at a time.
    sed -i -E "s/^(  MAKEFLAGS = -j) [0-9]+ /\1 $jobs /" "$NWCHEM_TOP/src/config/makefile.h"
    # Asked by every make: its answers instead.
    guess=$NWCHEM_TOP/src/tools/guess-mpidefs
    [ -e "$guess.original" ] || cp -p "$guess" "$guess.original"
    {
        echo '#!/bin/sh'
        echo 'case $1 in'
        for option in --mpi_include --mpi_lib --libmpi; do
            echo "$option) echo '$(bash "$guess.original" "$option")' ;;"
        done
        echo esac
    } >"$guess"
}

compile() {
    cd "$NWCHEM_TOP/src"
    mkdir -p "$NWCHEM_TOP/bin/$NWCHEM_TARGET"
    { make nwchem_config && to_32_bits && make "${variables[@]}"; } >"$folder/compile.log" 2>&1 \
        || { tail -n 30 "$folder/compile.log" >&2; exit 1; }
}

# Integers as Debian's BLAS has them; changes the sources, and what has been made of them counts no more.
to_32_bits() {
    [ -e 64_to_32 ] \
        || { make SHELL=/bin/sh 64_to_32 && find . \( -name include_stamp -o -name dependencies \) -exec rm -f {} +; }
}

link() {
    mkdir -p "$folder/bin"
    cd "$NWCHEM_TOP/src"
    rm -f nwchem.o stubs.o
    make "${variables[@]}" link >"$folder/link.log" 2>&1 || { tail -n 30 "$folder/link.log" >&2; exit 1; }
    cp "$NWCHEM_TOP/bin/$NWCHEM_TARGET/nwchem" "$folder/bin/nwchem-armci-mpi"
    # The same objects and the same command, with the other library.
    command=$(grep -E '^gfortran .* -o .*/nwchem nwchem.o stubs.o' "$folder/link.log" | tail -n 1)
    case $command in *" -larmci-openmpi"*) ;; *)
        echo "the command in $folder/link.log that links nwchem has no -larmci-openmpi" >&2
        exit 1
    esac
    echo "$command" \
        | sed "s| -larmci-openmpi| $armci/libarmci.a|g; s|-o [^ ]*/nwchem |-o $folder/bin/nwchem-tributary |" \
        >"$folder/link-tributary.sh"
    sh -e "$folder/link-tributary.sh"
}

for step in "${steps[@]}"; do
    echo "$step, $(date +%T)"
    "$step"
done
