# Completion of perfcheck, perfcheck-ci and perfcheck-parallel for fish. It knows no commands, options or findings of its own: it reads what `perfcheck help` and
# `perfcheck explain` print. It runs only the perfcheck of PATH.

# What help prints, each command and option in one line.
function __perfcheck_help
    command perfcheck help $argv 2>/dev/null | sed -E ':a;N;$!ba;s/\n {10,}/  /g'
end

function __perfcheck_commands
    __perfcheck_help | sed -nE 's/^  ([a-z]+) .*[^ ]  +(.*)/\1\t\2/p'
end

# Names, or ids when one was begun.
function __perfcheck_findings -a begun
    set -l order '\2\t\1'
    string match -q 'P*' -- $begun; and set order '\1\t\2'
    command perfcheck explain 2>/dev/null | sed -nE "s/^(PC[0-9]+) ([a-z0-9-]+) .*/$order/p"
end

# Whether the line begins with a program that has no commands, but the options of check.
function __perfcheck_only_checks
    set -l words (commandline -opc)
    string match -qr '(^|/)perfcheck-(ci|parallel)$' -- $words[1]
end

# The command of the line: check if none is named.
function __perfcheck_command
    set -l words (commandline -opc)
    if not __perfcheck_only_checks; and set -q words[2]; and contains -- $words[2] (__perfcheck_commands | cut -f 1)
        echo $words[2]
    else
        echo check
    end
end

# The values of an option of a command, in a list after what is there already.
function __perfcheck_values -a name option value
    set -l line (__perfcheck_help $name | grep -E -m 1 -- "^  (-., )?$option"'[,= []')
    switch "$line"
        case '*=perf-X.Y*'
            string match -arg '\b(\d+\.\d+|all|simpleperf)\b' -- $line | sed 's/^[0-9]/perf-&/'
        case '*=ID=LEVEL*' '*=ID*' '*=DEMAND*'
            set -l before (string match -rg '^(.*,)' -- $value)
            set -l last (string replace -r '^.*,' '' -- $value)
            set -l found
            if string match -q '*=DEMAND*' -- "$line"
                set found (command perfcheck help $name $option 2>/dev/null | string match -rg '^ {4}([^ -].*)')
            else if not string match -q '*=ID=LEVEL*' -- "$line"
                set found (__perfcheck_findings $last)
            else if set -l finding (string match -rg '^([^=]*=)' -- $last)
                set found $finding(__perfcheck_values check --fail-on)
            else
                set found (__perfcheck_findings $last | string replace \t =\t)
            end
            printf '%s\n' "$before"$found
        case '*=FILE*'
            __fish_complete_path $value
        case '*=[a-z]*' '*=*|*'
            string match -rg '=([a-z][a-z|]*)' -- $line | string split '|'
    end
end

function __perfcheck_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l name (__perfcheck_command)
    set -l option (string match -rg '^(--[a-z0-9-]+)=' -- $token)
    if test -n "$option"
        set -l values (__perfcheck_values $name $option (string replace -r '^[^=]*=' '' -- $token))
        printf '%s\n' $option=$values
    else if string match -q -- '-*' $token
        __perfcheck_help $name | sed -nE 's/^  (-., )?(--[a-z0-9-]+)(=)?(\[=)?[^ ]* +(.*)/\2\3\t\5/p' | string replace -a '  ' ' '
        if string match -qr 'perfcheck-parallel$' -- $words[1]
            command perfcheck-parallel --help 2>/dev/null | sed 1q | grep -oE -- '--[a-z]+=?'
        end
    else if string match -q -- '-*' $words[-1]; and set -l values (__perfcheck_values $name $words[-1] $token)
        printf '%s\n' $values
    else if __perfcheck_only_checks
        return
    else if test (count $words) -eq 1
        __perfcheck_commands
        echo help\t'show the options of a command'
    else if test "$words[2]" = help
        __perfcheck_commands
    else if test $name = explain
        __perfcheck_findings $token
        __perfcheck_values check --profile
    end
end

# Whether what comes next is no file: the value of an option that takes another one, or a finding or command.
function __perfcheck_takes_no_file
    set -l words (commandline -opc)
    set -l option (string match -rg '^(--[a-z0-9-]+)=' -- (commandline -ct))
    test -n "$option"; or set option (string match -r '^--?[a-z0-9-]+$' -- $words[-1])
    if test -n "$option"
        set -l line (__perfcheck_help (__perfcheck_command) | grep -E -m 1 -- "^  (-., )?$option"'[,= []')
        string match -qr -- '^  (-., )?--[a-z0-9-]+=(?!FILE|DIR)' "$line"; and return
    end
    not __perfcheck_only_checks; and contains -- "$words[2]" explain help
end

for program in perfcheck perfcheck-ci perfcheck-parallel
    complete -c $program -a '(__perfcheck_complete)'
    complete -c $program -f -n __perfcheck_takes_no_file
end
