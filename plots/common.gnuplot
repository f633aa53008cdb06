# SPDX-License-Identifier: GPL-2.0-or-later
# What all figures share. The names are assigned by the figure's script, see README.md.
set output image
set datafile separator "\t"
set encoding utf8
drawn = GPVAL_TERM eq "dumb" ? 0 : 1

# Okabe and Ito's colours, each with a point and dashes of its own, so that neither
# colour blindness nor a grey printer hides which is which.
set linetype 1 lc rgb "#0072B2" lw 2 pt 7 dt 1
set linetype 2 lc rgb "#D55E00" lw 2 pt 5 dt (12,4)
set linetype 3 lc rgb "#009E73" lw 2 pt 9 dt (4,3)
set linetype 4 lc rgb "#CC79A7" lw 2 pt 13 dt (12,3,3,3)
set linetype 5 lc rgb "#E69F00" lw 2 pt 11 dt (20,4)
set linetype 6 lc rgb "#56B4E9" lw 2 pt 4 dt (2,3)
set linetype 7 lc rgb "#000000" lw 2 pt 6 dt (12,3,3,3,3,3)
set linetype 8 lc rgb "#999999" lw 2 pt 8 dt (6,6)
set linetype cycle 8
set pointsize 1.2

# The heading is the title, an empty line and the caption.
split = strstrt(heading, "\n\n")
title = split ? heading[1:split - 1] : heading
caption = split ? heading[split + 2:*] : ""
lines_of(s) = strlen(s) ? 1 + (sum [n=1:strlen(s)] (s[n:n] eq "\n" ? 1 : 0)) : 0
if (drawn) {
	top = 1.5 + 1.3 * lines_of(title) + lines_of(caption)
	set tmargin top
	set label 1 title at graph 0, screen 1 offset 0, -1.2 left font ",13" noenhanced
	set label 2 caption at graph 0, screen 1 offset 0, -1.2 - 1.3 * lines_of(title) \
	          left font ",10" tc rgb "#444444" noenhanced
	set ylabel measure noenhanced
	set grid ytics lt 1 dt 1 lc rgb "#CCCCCC" lw 0.5
} else {
	# A terminal has no room for a turned label.
	set title title.(split ? "\n".caption : "")."\n".measure noenhanced
}
set xlabel cases."\n " noenhanced
set border 3
set tics nomirror
set autoscale xfix
set key below center noenhanced samplen 4
if (drawn) { set key Left reverse width 1 }

# Labels that do not fit side by side are turned, or shorter where they cannot be turned. What is too
# long loses its middle, since names often differ at the end.
set xtics noenhanced
turned = word(labels, 1) eq "steep" && drawn
if (turned) {
	set xtics rotate by 45 right
	set lmargin 15
}
room = turned ? 20 : int(word(labels, 2))
short(s, n) = strlen(s) <= n ? s : n < 8 ? s[1:n] : s[1:(n - 2) / 2]."...".s[strlen(s) - (n - 5) / 2:*]
label_of(s) = short(s, room)
