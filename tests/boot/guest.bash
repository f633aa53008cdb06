# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of guests share: a packaged kernel, unpacked once into the cache, and boot_guest.

BUILD=${BUILD:-$PWD/build}
KERNELS=${SCHEDBENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/schedbench}/kernels

# The kernel of the distribution's cloud image, as schedbench itself fetches and unpacks it.
fetch_kernel() {
	local record=$KERNELS/linux-image-cloud-amd64@bookworm
	[ -e "$record" ] || "$BUILD/schedbench" boot --kernel debian-6.1 --machine small-4 -- true
	ROOT=$KERNELS/$(head -n 1 "$record")
	RELEASE=$(basename "$ROOT"/lib/modules/*)
	export ROOT RELEASE
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
