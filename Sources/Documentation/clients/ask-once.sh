#!/bin/sh
# Asks the gateway for one fix with nothing but a shell and nc (Debian: netcat-openbsd), and prints it as JSON.
#   ask-once.sh APP [SOCKET]
# Exit status: 0 fix; 1 refused, nobody pressed, or no gateway. The standard error has the gateway's message.
set -eu
app=${1:?usage: ask-once.sh APP [SOCKET]}
socket=${2:-${ONEFIX_SOCKET:-/run/onefix/onefix.sock}}

# Only the members of the socket's group may open it.
closed=$socket
[ -x "$(dirname "$socket")" ] || closed=$(dirname "$socket")
if [ -e "$closed" ] && { [ "$closed" != "$socket" ] || [ ! -w "$socket" ]; }; then
  case $(stat -c %G "$closed") in
    onefix) remedy="sudo adduser $(id -un) onefix, then log in again" ;;
    *) remedy="this user may not open $closed" ;;
  esac
  printf 'cannot reach the gateway at %s: permission denied (%s)\n' "$socket" "$remedy" >&2
  exit 1
fi

work=$(mktemp -d)
nc=
trap '[ -z "$nc" ] || kill "$nc" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkfifo "$work/said"
: >"$work/heard"
# Descriptor 3 is the connection to the gateway while it is open.
nc -U "$socket" <"$work/said" >"$work/heard" &
nc=$!
exec 3>"$work/said"
# If nc ends first, the shell continues and finds no line.
trap '' PIPE
printf '%s\n' "HELLO 1 app=$app keepalive=0" "REQ once" >&3 || true

# Sends the last lines, and waits until nc ends with the connection.
part() {
  printf '%s\n' "$@" >&3 || true
  exec 3>&-
  wait "$nc" || true
}

heard=0
while :; do
  # A line without its end is incomplete.
  if [ "$(wc -l <"$work/heard")" -le "$heard" ]; then
    kill -0 "$nc" 2>/dev/null || [ "$(wc -l <"$work/heard")" -gt "$heard" ] || break
    sleep 0.1
    continue
  fi
  heard=$((heard + 1))
  line=$(sed -n "${heard}p" "$work/heard")
  case $line in
    'MSG fix/once '*)
      id=${line#*id=}
      # The acknowledgement tells the gateway that the fix need not be sent again.
      part "ACK ${id%% *}" BYE
      printf '{%s\n' "${line#*\{}"
      exit 0
      ;;
    '+OK state=awaiting-press'*) printf 'waiting for a press of the button …\n' >&2 ;;
    -ERR*)
      printf '%s\n' "$line" >&2
      part BYE
      exit 1
      ;;
  esac
done
printf 'the connection to %s has ended (is onefixd running?)\n' "$socket" >&2
exit 1
