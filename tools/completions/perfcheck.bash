# Completion of perfcheck, perfcheck-ci and perfcheck-parallel for bash. It knows no commands, options or findings of its own: it reads what `perfcheck help` and
# `perfcheck explain` print. It runs only the perfcheck of PATH, never one of the current directory.

# What help prints, each command and option in one line.
_perfcheck_help() {
	command perfcheck help "$@" 2>/dev/null | sed -E ':a;N;$!ba;s/\n {10,}/  /g'
}

_perfcheck_findings() {
	command perfcheck explain 2>/dev/null | sed -nE 's/^(PC[0-9]+) ([a-z0-9-]+) .*/\1\n\2/p'
}

# _perfcheck_argument COMMAND OPTION: what help says that the option takes: FILE, text|json, [LEVEL if it may stand alone.
_perfcheck_argument() {
	_perfcheck_help "$1" | grep -E -m 1 -- "^  (-., )?$2[,= []" 2>/dev/null | sed -nE 's/^  (-., )?--[a-z0-9-]+(\[?)=([^] ]*).*/\2\3/p'
}

# _perfcheck_values COMMAND OPTION: the values of the option. Status 1: it has none that are known.
_perfcheck_values() {
	local line
	line=$(_perfcheck_help "$1" | grep -E -m 1 -- "^  (-., )?$2[,= []") || return
	case $line in
	*=perf-X.Y*) grep -owE '[0-9]+\.[0-9]+|all|simpleperf' <<<"$line" | sed 's/^[0-9]/perf-&/' ;;
	*=ID=LEVEL*) if [[ ${3##*,} == *=* ]]; then _perfcheck_values check --fail-on; else _perfcheck_findings | sed 's/$/=/'; fi ;;
	*=ID*) _perfcheck_findings ;;
	*=DEMAND*) command perfcheck help "$1" "$2" 2>/dev/null | sed -nE 's/^ {4}([^ -].*)/\1/p' ;;
	*=FILE*) compgen -f -- "$3" ;;
	*=DIR*) compgen -d -- "$3" ;;
	*=[a-z]*) sed -E 's/^[^=]*=([^ ]*).*/\1/; y/|/\n/' <<<"$line" ;;
	*) return 1 ;;
	esac
}

_perfcheck() {
	local word cur value commands command=check prefix='' takes='' found=() words=()
	# Bash divides words at = and :, which belong to options and to names here.
	for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
		if [[ ${#words[@]} -gt 1 && ($word == [=:]* || ${words[-1]} == *[=:]) ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
	done
	cur=${words[-1]}
	case ${words[0]##*/} in
	perfcheck-ci | perfcheck-parallel) commands='' ;; # they have the options of check
	*) commands=$(_perfcheck_help | sed -nE 's/^  ([a-z]+) .*/\1/p') ;;
	esac
	if [[ -n $commands && ${#words[@]} -gt 2 ]] && grep -qxF -- "${words[1]}" <<<"$commands"; then
		command=${words[1]}
	fi

	if [[ $cur == --*=* ]]; then
		prefix=${cur%%=*}= value=${cur#*=}
		word=${cur%%=*}
	else
		value=$cur word=${words[-2]}
	fi
	[[ $word != -* ]] || takes=$(_perfcheck_argument "$command" "$word")
	if [[ -n $prefix || $takes == [!\[]* ]]; then
		mapfile -t found < <(_perfcheck_values "$command" "$word" "$value")
		case $takes in
		FILE | DIR) compopt -o filenames 2>/dev/null ;;
		?*) compopt +o default +o bashdefault 2>/dev/null ;; # it takes no file
		esac
		if [[ $value == *,* ]]; then # a list
			prefix+=${value%,*},
		fi
		if [[ ${value##*,} == *=* ]]; then # a finding and its level
			word=${value##*,}
			prefix+=${word%%=*}=
		fi
	elif [[ $cur == -* ]]; then
		mapfile -t found < <(_perfcheck_help "$command" | sed -nE 's/^  (-., )?(--[a-z0-9-]+)(\[?=)?.*/\2\3/p' |
			sed 's/\[=$//')
		if [[ ${words[0]##*/} == perfcheck-parallel ]]; then
			mapfile -t -O ${#found[@]} found < <(command perfcheck-parallel --help 2>/dev/null | sed 1q | grep -oE -- '--[a-z]+=?')
		fi
	elif [[ -z $commands ]]; then
		:
	elif [[ ${#words[@]} -eq 2 || ${#words[@]} -eq 3 && ${words[1]} == help ]]; then
		mapfile -t found <<<"$commands"
		[[ ${#words[@]} -eq 3 ]] || found+=(help)
	elif [[ $command == explain ]]; then
		mapfile -t found < <(_perfcheck_findings; _perfcheck_values check --profile)
	fi
	COMPREPLY=()
	for word in "${found[@]}"; do # not compgen -W, which would obey what names of files say
		[[ $word != "${cur#"$prefix"}"* ]] || COMPREPLY+=("$prefix$word")
	done
	if [[ ${#words[@]} -eq 2 && -n $cur ]]; then # a capture
		compopt -o filenames 2>/dev/null
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
	fi
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[=:] ]] || compopt -o nospace 2>/dev/null
	# What bash has divided is there already.
	prefix=
	for word in = :; do
		value=${cur%"$word"*}$word
		if [[ $COMP_WORDBREAKS == *$word* && $cur == *$word* && ${#value} -gt ${#prefix} ]]; then
			prefix=$value
		fi
	done
	COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
}

complete -o bashdefault -o default -F _perfcheck perfcheck perfcheck-ci perfcheck-parallel
