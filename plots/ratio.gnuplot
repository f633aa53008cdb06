# SPDX-License-Identifier: GPL-2.0-or-later
# Change against the first variant in percent, with intervals and a line at zero. Arguments: see
# README.md.
data = ARG1; image = ARG2; heading = ARG3; measure = ARG4; cases = ARG5
variants = int(ARG6); axis = ARG7; labels = ARG8; common = ARG9
load common
if (axis eq "log") { set logscale x 2 }
set xzeroaxis lt 1 dt 1 lc rgb "#000000" lw 1.5
set offsets graph 0.03, graph 0.03, graph 0.05, graph 0.05

stats data using 2 skip 1 nooutput
span = STATS_max - STATS_min
shift(i) = i - (variants + 2) / 2.0
beside(x, i) = axis eq "log" ? x * 1.02 ** shift(i) : axis eq "linear" ? x + 0.005 * span * shift(i) \
               : x + 0.6 / variants * shift(i)

# Between cases that are no numbers there is nothing to connect.
style = axis eq "names" ? "points" : "linespoints"

# The first part only labels the axis: every case has a tick, those too close to the one before no
# name.
place(x) = STATS_max == STATS_min ? 0 : axis eq "log" ? log(x / STATS_min) / log(STATS_max / STATS_min) \
           : (x - STATS_min) / (STATS_max - STATS_min)
gap = axis eq "names" ? 0 : 0.045
named = -1
name(x, text) = place(x) - named < gap ? "" : (named = place(x), label_of(text))
plot data using 2:(NaN):xtic(name($2, strcol(1))) skip 1 notitle, \
     for [i=2:variants] data using (beside($2, i)):(column(3 * i)):(column(3 * i + 1)):(column(3 * i + 2)) \
         skip 1 with yerrorbars lt i dt 1 lw 1.5 notitle, \
     for [i=2:variants] data using (beside($2, i)):(column(3 * i)) \
         with @style lt i title columnheader(3 * i)
