# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What tools/check, tools/demo, tools/fuzz and others share: which Debian packages are needed, installing
# those that are missing, and building. Sourced, never run; no test and no network lives here.
#
# The package lists are for the scripts that source this file:
# shellcheck disable=SC2034

# Compiler, build system and the libraries of meson.build that the operator's tool takes.
PACKAGES_TOOL=(gcc libc6-dev meson ninja-build pkg-config python3
	libjansson-dev libbsd-dev libpcap-dev zlib1g-dev libncurses-dev)
# All of them. libdpdk-dev brings all of DPDK's drivers; with python3-jsonschema the tests hold files
# against the JSON Schema, and tmux is the terminal that they run gateau top on.
PACKAGES_BUILD=("${PACKAGES_TOOL[@]}" libdpdk-dev libsystemd-dev libmicrohttpd-dev libcmocka-dev
	python3-jsonschema tmux)
# What the demo and the netns tests start.
PACKAGES_RUN=(iproute2 ethtool iperf3 iputils-ping util-linux)
# What the vm suite starts, and of which it makes the guest's file system. Not here: the guest's kernel, which
# fetch_vm_kernel() unpacks without installing it.
PACKAGES_VM=(qemu-system-x86 busybox-static util-linux)
# What the lint suite starts. The formatter's version is part of the rule: others format differently.
# Manual pages are read by both formatters that there are.
PACKAGES_LINT=(clang-format-14 shellcheck groff-base mandoc)

# What makes the Debian package, and what its scripts and unit are checked with: systemd's tools.
PACKAGES_PACKAGE=(dpkg-dev debhelper make systemd)

# What counts instructions, and what a benchmark compares with: dpdk-testpmd.
PACKAGES_PERF=(valgrind dpdk-dev)

# What the fuzz suite builds with: libFuzzer comes with clang, not with gcc.
PACKAGES_FUZZ=(clang-14 libclang-rt-14-dev)

# say TEXT: one line of progress.
say()
{
	printf '==> %s\n' "$*"
}

# die TEXT: the reason, on stderr, and out.
die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

package_installed()
{
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# install_packages NAME...: install with apt what is missing; nothing happens if all is there.
install_packages()
{
	local name missing=()

	if ! command -v dpkg-query >/dev/null; then
		say "not a Debian system: taking it that these are here: $*"
		return 0
	fi
	for name in "$@"; do
		package_installed "$name" || missing+=("$name")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" -ne 0 ]; then
		die "packages are missing and only root can install them; run:
    sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}"
	fi
	say "installing with apt: ${missing[*]}"
	apt-get update -qq || die "apt-get update failed: is there a network and a package mirror?"
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		-o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null ||
		die "apt-get could not install: ${missing[*]}"
}

# unpack_package DIR NAME: the files of a Debian package, below DIR. Nothing of it is installed, or started.
unpack_package()
{
	local dir=$1 name=$2

	say "unpacking $name in $dir/"
	mkdir -p "$dir/download"
	(cd "$dir/download" && apt-get download -qq -o APT::Sandbox::User=root "$name") ||
		die "apt-get could not download $name"
	dpkg-deb -x "$dir/download"/*.deb "$dir/unpacked"
	mv "$dir/unpacked"/* "$dir"
	rm -r "$dir/unpacked" "$dir/download"
}

# fetch_vm_kernel DIR: Debian's cloud kernel and its modules, unpacked below DIR unless one is there. It is
# for a virtual machine, so this machine's kernel and boot loader are left alone.
fetch_vm_kernel()
{
	local dir=$1 name

	[ ! -d "$dir/boot" ] || return 0
	name=$(vm_kernel_package)
	if [ -z "$name" ]; then
		apt-get update -qq
		name=$(vm_kernel_package)
	fi
	[ -n "$name" ] || die "apt knows no kernel behind linux-image-cloud-amd64"
	unpack_package "$dir" "$name"
}

# fetch_prometheus DIR: prometheus and promtool, unpacked below DIR unless they are there or on the path. Installed,
# the package would start a service; the test starts its own, for itself.
fetch_prometheus()
{
	local dir=$1

	[ ! -x "$dir/usr/bin/promtool" ] && ! command -v promtool >/dev/null || return 0
	command -v apt-get >/dev/null || die "prometheus and promtool are missing"
	apt-cache show prometheus >/dev/null 2>&1 || apt-get update -qq
	unpack_package "$dir" prometheus
}

# vm_kernel_package: the package that linux-image-cloud-amd64 stands for, if apt knows.
vm_kernel_package()
{
	apt-cache depends linux-image-cloud-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1
}

# configure_tree DIR MESON-OPTION...: configure DIR below the repository, again if it exists. The options
# hold for an existing folder too, so that a folder left by another run is no surprise.
configure_tree()
{
	local dir=$1
	shift

	if [ -f "$dir/build.ninja" ]; then
		meson configure "$dir" "$@" >/dev/null
	else
		meson setup "$dir" "$@" >/dev/null || {
			meson setup "$dir" "$@" | tail -n 20 >&2
			return 1
		}
	fi
}

# build_tree DIR MESON-OPTION...: configure DIR, and build all of it.
build_tree()
{
	configure_tree "$@" && ninja -C "$1"
}

# build_fuzz: the fuzz targets, and with them all that they link, in build-fuzz/.
build_fuzz()
{
	CC=clang-14 build_tree build-fuzz -Dwerror=true -Dtests=enabled -Ddaemon=disabled \
		-Dfuzz=enabled -Db_sanitize=address,undefined -Db_lundef=false
}
