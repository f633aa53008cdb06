# SPDX-License-Identifier: GPL-2.0-or-later
# Distribution of the samples: the share of those not above a value, a panel for each case, all on
# the same axes. Arguments: see README.md.
data = ARG1; image = ARG2; heading = ARG3; measure = ARG4; cases = ARG5
variants = int(ARG6); axis = ARG7; labels = ARG8; common = ARG9
load common
stats data using 1 every ::1 nooutput
panels = STATS_blocks / variants
columns = panels < 4 ? panels : panels < 7 ? (panels + 1) / 2 : panels < 13 ? 4 : 5
rows = (panels + columns - 1) / columns
margin = 0.03 * (STATS_max - STATS_min) + (STATS_max == STATS_min)
set xrange [STATS_min - margin:STATS_max + margin]
set yrange [0:1]
set multiplot

# The frame: what all panels have in common. Its inside is where the panels go.
set border 0
set tics scale 0
set format x " "
set format y "    "
unset grid
if (drawn) {
	set xlabel measure."\n " noenhanced
	set ylabel "share of samples"
} else {
	unset tics
	unset xlabel
	set lmargin 5
	set bmargin 7
	set title title.(split ? "\n".caption : "")."\nshare of samples over ".measure noenhanced
}
plot for [i=1:variants] data index i - 1 using (NaN):(NaN) with lines lt i title columnheader(1)
left = GPVAL_TERM_XMIN * GPVAL_TERM_SCALE / GPVAL_TERM_XSIZE
right = GPVAL_TERM_XMAX * GPVAL_TERM_SCALE / GPVAL_TERM_XSIZE
bottom = GPVAL_TERM_YMIN * GPVAL_TERM_SCALE / GPVAL_TERM_YSIZE
top = GPVAL_TERM_YMAX * GPVAL_TERM_SCALE / GPVAL_TERM_YSIZE
width = (right - left) / columns
height = (top - bottom) / rows
line = drawn ? 0.035 : 1.5 / GPVAL_TERM_YSIZE

# The panels, from the top left, each under the name of its case. Only the outer ones have numbers.
unset title
unset key
unset xlabel
unset ylabel
unset label
set border 3
set tics scale 0.5
# Few enough numbers that they do not touch.
raw = (STATS_max - STATS_min) / (columns > 3 ? 3 : 5)
power = raw > 0 ? 10 ** floor(log10(raw)) : 1
step = raw <= power ? power : raw <= 2 * power ? 2 * power : raw <= 5 * power ? 5 * power : 10 * power
set xtics step norotate
set ytics 0, 0.5
set grid xtics ytics lt 1 dt 1 lc rgb "#CCCCCC" lw 0.5
if (!drawn) { unset grid }
name = ""
room = int((drawn ? 115 : GPVAL_TERM_XSIZE * 0.9) / columns) - 3
do for [p=1:panels] {
	column = (p - 1) % columns
	row = (p - 1) / columns
	set lmargin at screen left + column * width
	set rmargin at screen left + (column + 0.94) * width
	set tmargin at screen top - row * height - line
	set bmargin at screen top - (row + 0.94) * height
	set format x (p + columns > panels ? "%g" : "")
	set format y (column ? "" : "%g")
	stats data index (p - 1) * variants every ::0::0 using (name = strcol(2), 0) nooutput
	set label 3 label_of(cases." ".name) at graph 0, graph 1 offset 0, (drawn ? 0.6 : 1) left noenhanced
	plot for [i=1:variants] data index (p - 1) * variants + i - 1 using 1:2 every ::1 \
	         with steps lt i
}
unset multiplot
