# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of guests share: a packaged kernel, unpacked once into the cache, and boot_guest.

BUILD=${BUILD:-$PWD/build}
KERNELS=${SCHEDBENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/schedbench}/test-kernels

# The kernel of the distribution's cloud image; downloaded as a user may, nothing is installed.
fetch_kernel() {
	local package
	package=$(apt-cache depends linux-image-cloud-amd64 |
		sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
	export RELEASE=${package#linux-image-}
	export ROOT=$KERNELS/$RELEASE
	[ -e "$ROOT/ready" ] && return
	mkdir -p "$ROOT"
	(
		cd "$ROOT" && apt-get -q download "$package" && dpkg-deb -x ./*.deb . && rm ./*.deb &&
			PATH=$PATH:/usr/sbin:/sbin depmod -b . "$RELEASE" && touch ready
	)
}

# Becomes boot_guest with the kernel and one CPU, if no --topology follows. AGENT replaces the agent.
guest_exec() {
	exec "$BUILD/tests/boot_guest" --image "$ROOT/boot/vmlinuz-$RELEASE" \
		--modules "$ROOT/lib/modules/$RELEASE" --release "$RELEASE" --memory 256 \
		--accel "${ACCEL:-tcg}" --agent "${AGENT:-$BUILD/schedbench-agent}" "$@"
}

guest() {
	(guest_exec "$@")
}

# Sets $tool and $qemu once a line of the output starts with $1.
guest_in_background() {
	local line=$1
	shift
	guest_exec "$@" >"$BATS_TEST_TMPDIR/out" 3>&- &
	tool=$!
	for _ in $(seq 600); do
		grep -q "^$line" "$BATS_TEST_TMPDIR/out" && break
		sleep 0.1
	done
	qemu=$(pgrep -P "$tool" -f qemu-system)
	[ -n "$qemu" ]
}
