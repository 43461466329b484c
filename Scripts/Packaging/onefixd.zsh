#compdef onefixd
# Completes the subcommands and the options of onefixd, as its help lists them, and the names of files.
local -a command options
if (( CURRENT > 2 )) && [[ $words[2] == (check|console-pin) ]]; then command=($words[2]); fi
options=(${(f)"$(onefixd $command --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -o -e '--.*')"})
(( CURRENT > 2 )) || compadd check console-pin
compadd -- $options
_files
