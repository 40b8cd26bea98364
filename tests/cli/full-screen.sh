# A small program with a whole screen: a frame, the size, the last key. `q` ends it with 5.
# It looks for a new size itself: bash loses a WINCH that comes while `read` waits.
draw() {
  printf '\033[2J\033[1;1H+-- holdfast --+\033[2;1H| size %s\033[3;1H| key %s\033[5;7Hmark' "${size/ /x}" "$key"
}
key=none
restore=$(stty -g)
stty raw -echo
printf '\033[?1049h\033[?25l\033[?1000h\033[?1006h\033[?2004h'
while :; do
  now=$(stty size)
  [ "$now" = "$size" ] || { size=$now; draw; }
  # A key that comes as the time runs out is there although `read` fails.
  pressed=
  read -rsn1 -t 0.2 pressed
  [ -n "$pressed" ] || continue
  [ "$pressed" = q ] && break
  key=$pressed
  draw
done
printf '\033[?2004l\033[?1006l\033[?1000l\033[?25h\033[?1049l'
stty "$restore"
exit 5
