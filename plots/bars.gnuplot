# SPDX-License-Identifier: GPL-2.0-or-later
# Mean per case and variant as bars with intervals. Arguments: see README.md.
data = ARG1; image = ARG2; heading = ARG3; measure = ARG4; cases = ARG5
variants = int(ARG6); axis = ARG7; labels = ARG8; common = ARG9
load common
set style data histograms
set style histogram errorbars gap 1.5 lw 1.2
set style fill solid 0.75 border lt -1
set bars 0.5
set yrange [0:*]
set offsets 0, 0, graph 0.05, 0

# A variant without any value would end the program; a bar without height is not seen.
held(i) = valid(i) ? column(i) : 0

plot for [i=1:variants] data using (held(3 * i)):(held(3 * i + 1)):(held(3 * i + 2)):xtic(label_of(strcol(1))) \
         lt i dt 1 lw 0.6 title columnheader(3 * i)
