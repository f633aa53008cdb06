# SPDX-License-Identifier: GPL-2.0-or-later
# Samples over the time at which they were measured, each in percent of the mean of its variant and
# case: a slope is drift. Arguments: see README.md.
data = ARG1; image = ARG2; heading = ARG3; measure = ARG4; cases = ARG5
variants = int(ARG6); axis = ARG7; labels = ARG8; common = ARG9
load common
set xlabel cases."\n "
set offsets 0, graph 0.02, graph 0.05, graph 0.05

set xrange [0:*]
plot 100 with lines lt 1 dt 1 lc rgb "#888888" lw 1 notitle, \
     for [i=1:variants] data index i - 1 using 1:2 with points lt i pointsize 1 title columnheader(1)
