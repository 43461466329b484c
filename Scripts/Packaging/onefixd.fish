# Completes the subcommands and the options of onefixd, as its help lists them, and the names of files.
function __onefixd_options
    set -l words (commandline -opc)
    set -l subcommand (string match -r '^(?:check|console-pin)$' -- $words[2])
    onefixd $subcommand --help | string match -rg '^ +(?:-., )?(--[a-z-]+)'
end
complete -c onefixd -n __fish_use_subcommand -a 'check console-pin'
complete -c onefixd -n 'string match -q -- "-*" (commandline -ct)' -a '(__onefixd_options)'
