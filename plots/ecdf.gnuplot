# SPDX-License-Identifier: GPL-2.0-or-later
# Share of the samples that are not above a value; all cases together, each in percent of the
# baseline's mean. Arguments: see README.md.
data = ARG1; image = ARG2; heading = ARG3; measure = ARG4; cases = ARG5
variants = int(ARG6); axis = ARG7; labels = ARG8; common = ARG9
load common
set xlabel measure."\n " noenhanced
set ylabel "share of samples"
set yrange [0:1.02]
if (GPVAL_TERM ne "dumb") { set grid xtics }

plot for [i=1:variants] data index i - 1 using 1:2 with linespoints lt i pointnumber 8 title columnheader(1)
