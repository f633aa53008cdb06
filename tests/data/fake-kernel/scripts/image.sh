# SPDX-License-Identifier: GPL-2.0-or-later
# image.sh RELEASE OBJECT...: the head of a bzImage, its release at 0x310, then the objects' sums.
zeros() {
	head -c "$1" /dev/zero
}

release=$1
shift
zeros 514
printf 'HdrS'
zeros 8
printf '\020\001'
zeros 256
printf '%s\000\n' "$release"
cat "$@" | cksum
