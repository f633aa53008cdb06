# SPDX-License-Identifier: GPL-2.0-or-later
# What all figures share. The names are assigned by the figure's script, see README.md.
set output image
set datafile separator "\t"
set datafile missing "?"
set encoding utf8

# Okabe and Ito's colours, each with a point of its own shape, so that neither
# colour blindness nor a grey printer hides which is which.
set linetype 1 lc rgb "#0072B2" lw 2 pt 7
set linetype 2 lc rgb "#D55E00" lw 2 pt 5
set linetype 3 lc rgb "#009E73" lw 2 pt 9
set linetype 4 lc rgb "#CC79A7" lw 2 pt 13
set linetype 5 lc rgb "#E69F00" lw 2 pt 11
set linetype 6 lc rgb "#56B4E9" lw 2 pt 4
set linetype 7 lc rgb "#000000" lw 2 pt 6
set linetype 8 lc rgb "#999999" lw 2 pt 8
set linetype cycle 8
set pointsize 1.2

# A terminal has no room for a turned label.
if (GPVAL_TERM eq "dumb") {
	set title heading."\n".measure noenhanced
} else {
	set title heading noenhanced
	set ylabel measure noenhanced
}
set xlabel cases."\n " noenhanced
if (GPVAL_TERM ne "dumb") { set grid ytics lt 1 lc rgb "#CCCCCC" lw 0.5 }
set border 3
set tics nomirror
set autoscale xfix
set key below center noenhanced samplen 3

# Labels that do not fit side by side are turned.
set xtics noenhanced
if (labels eq "steep") { set xtics rotate by -40 left }
