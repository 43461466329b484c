#!/bin/sh
# The changes that `onefixd check` asks for on this machine. Read them, then run this script as root.
set -eu
if [ "$(id -u)" -ne 0 ]; then echo 'run this script as root' >&2; exit 1; fi
# The marks of changes that need a restart of the service or of the machine. The script removes a mark after it has
# restarted the service, or has printed that the machine must be restarted. If a run ends before that, the next run
# does it. A start of the machine also removes the marks.
service=/run/onefix-restart-service
machine=/run/onefix-restart-machine

# distinct USER UNIT APP: ends the script if the unit of an app runs as the daemon's user. With the rights of the
# daemon this app would need no press.
distinct() {
  user=$(systemctl show --property=User --value "$2" 2>/dev/null) || return 0
  if [ -z "$user" ] || [ "$(id -u "$user")" != "$(id -u "$1")" ]; then return 0; fi
  echo "nothing was changed: app $3 ($2) runs as the daemon's user $1, and would need no press." >&2
  echo 'Run the daemon as another user, for example onefix, then run onefixd check --script again.' >&2
  exit 1
}

# add LINE FILE: adds a line to a file that does not have it. The last line of the file can lack its end.
add() {
  if grep -qsxF -- "$1" "$2"; then return; fi
  : >"$service"
  mkdir -p "${2%/*}"
  if [ -n "$(tail -c 1 "$2" 2>/dev/null)" ]; then echo >>"$2"; fi
  printf '%s\n' "$1" >>"$2"
}

# join USER GROUP: adds a user to a group, which is created if necessary.
join() {
  case " $(id -nG "$1") " in *" $2 "*) return ;; esac
  : >"$service"
  getent group "$2" >/dev/null || groupadd --system "$2"
  usermod --append --groups "$2" "$1"
}

# boot LINE: adds a line to the boot configuration of a Raspberry Pi. A line below a filter such as [cm4] has no
# effect on other models, and [all] ends the filter.
boot() {
  config=/boot/firmware/config.txt
  if [ ! -e "$config" ]; then echo "not changed: this machine has no $config: $1" >&2; return; fi
  if awk '/^\[/ { filtered = !/^\[all\]/ } !filtered' "$config" | grep -qxF -- "$1"; then return; fi
  : >"$machine"
  printf '\n[all]\n%s\n' "$1" >>"$config"
}

# remove_console PORT: removes the kernel's console from a serial port, also by its name serial0. On a Raspberry Pi 5
# serial0 can be another port.
remove_console() {
  config=/boot/firmware/cmdline.txt
  if [ ! -e "$config" ]; then echo "not changed: this machine has no $config: console=$1" >&2; return; fi
  names=$1
  serial0=$(readlink -f /dev/serial0 || echo serial0)
  case ${serial0##*/} in serial0 | "$1") names="serial0|$1" ;; esac
  if ! grep -qE "(^| )console=($names)([, ]|\$)" "$config"; then return; fi
  : >"$machine"
  cp -n "$config" "$config.before-onefix"
  sed -i -E ":again; s/(^| )console=($names)(,[^ ]*)?( |\$)/\1/; t again" "$config"
}
