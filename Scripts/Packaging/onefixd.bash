# Completes the subcommands and the options of onefixd, as its help lists them.
_onefixd() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} first=${COMP_WORDS[1]} command=()
  case $first in check | console-pin) [ "$COMP_CWORD" -eq 1 ] || command=("$first") ;; esac
  case $previous in
    --user) mapfile -t COMPREPLY < <(compgen -u -- "$word") ;;
    --boards | --state) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    --config | --key | --anchor | --socket | --file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    *)
      mapfile -t COMPREPLY < <(
        [ "$COMP_CWORD" -gt 1 ] || compgen -W 'check console-pin' -- "$word"
        compgen -W "$(onefixd "${command[@]}" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -o -e '--.*')" -- "$word"
      )
      ;;
  esac
}
complete -F _onefixd onefixd
