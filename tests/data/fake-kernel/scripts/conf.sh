# SPDX-License-Identifier: GPL-2.0-or-later
# conf.sh KCONFIG WANTED: each line of KCONFIG is an option and what it depends on.
wanted() {
	sed -n "s/^CONFIG_$1=//p" "$2" | tail -n 1
}

while read -r option needs; do
	value=$(wanted "$option" "$2")
	if [ -n "$value" ] && { [ -z "$needs" ] || [ "$(wanted "$needs" "$2")" = y ]; }; then
		echo "CONFIG_$option=$value"
	else
		echo "# CONFIG_$option is not set"
	fi
done <"$1"
