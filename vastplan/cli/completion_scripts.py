"""The scripts of `vastplan completion bash` and `zsh`. The shell asks `vastplan __complete` for candidates, and evaluates none of them."""

from __future__ import annotations

BASH = r"""# Completion of vastplan for bash: vastplan itself says what may come next. Nothing that it says is evaluated.
_vastplan() {
  local word line rest mode='' lead='' keep='' glue='' open='' odd='' i
  local plain='^[A-Za-z0-9_./:@%+,=-]*$' live='[$`"\\!]'
  local -a words=() found=()
  COMPREPLY=()
  type -P vastplan >/dev/null || return 0 # files, as for any other program
  # bash ends a word at = and : too, and takes those for words
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == [=:] && ${#words[@]} -gt 0 ]]; then
      words[${#words[@]} - 1]+=$word
      glue=1
      continue
    fi
    if ((i == COMP_CWORD)); then
      if [[ $word == [\'\"]* && $2 != [\'\"]* ]]; then
        open=${word:0:1}
      elif [[ $word != "$2"* ]]; then # quotes begin within it
        return 0
      fi
      word=$open$2 # up to the cursor
    fi
    if [[ $glue ]]; then
      lead=${words[${#words[@]} - 1]}
      words[${#words[@]} - 1]+=$word
    else
      lead=''
      words+=("$word")
    fi
    glue=''
  done
  word=${words[${#words[@]} - 1]}
  if [[ $glue ]]; then
    lead=$word
  fi
  if [[ $word == --*=* && $lead ]]; then # the candidates are values
    lead=${lead#*=}
  elif [[ $word == --*=* ]]; then
    keep=${word%%=*}=
  fi
  while IFS= read -r line; do
    if [[ ! $mode ]]; then
      mode=$line
      continue
    elif [[ $line != "$lead"* ]]; then
      continue
    fi
    rest=${line#"$lead"}
    if [[ ! $rest =~ $plain ]]; then
      odd=1
      case $open in
        \') [[ $rest == *\'* ]] && continue ;;
        \") [[ $rest =~ $live ]] && continue ;;
        *) printf -v rest %q "$rest" ;;
      esac
    fi
    found+=("$keep$rest")
  done <<<"$(command vastplan __complete "${words[@]}" </dev/null 2>/dev/null)"
  if [[ $mode != *files ]]; then
    compopt +o default +o bashdefault 2>/dev/null
  elif [[ $odd || $2 == *[\'\"\\\$~]* ]]; then # bash has its own quotes for files
    return 0
  elif ((${#found[@]})); then
    while IFS= read -r line; do
      [[ $line ]] && found+=("$line")
    done <<<"$(compgen -f -- "$2")"
  fi
  if [[ $mode == open* || ${found[0]-} == */ ]]; then
    compopt -o nospace 2>/dev/null
  fi
  if [[ ! $odd && ${found[0]-} == */* || $mode == *files ]]; then
    compopt -o filenames 2>/dev/null # a list shows what comes after the last /
  fi
  COMPREPLY=(${found[@]+"${found[@]}"})
  return 0
}
complete -o bashdefault -o default -F _vastplan vastplan
"""

ZSH = r"""#compdef vastplan
# Completion of vastplan for zsh: vastplan itself says what may come next. Nothing that it says is evaluated.
_vastplan() {
  local -a lines whole begun
  local line mode found=1
  lines=("${(@f)$(command vastplan __complete "${(@)words[2,CURRENT-1]}" "$PREFIX" </dev/null 2>/dev/null)}")
  mode=$lines[1]
  [[ -n $mode ]] || return 1
  shift lines
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  for line in "${lines[@]}"; do
    if [[ $mode == open* || $line == */ ]]; then
      begun+=("$line")
    else
      whole+=("$line")
    fi
  done
  (( $#begun )) && compadd -S '' -- "${begun[@]}" && found=0
  (( $#whole )) && compadd -- "${whole[@]}" && found=0
  [[ $mode == *files ]] && _files && found=0
  return found
}
if [[ $funcstack[1] == _vastplan ]]; then
  _vastplan "$@"
else
  compdef _vastplan vastplan
fi
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH}
