#!/usr/bin/env bash
# Takes a document out of a git tree as data: document.sh TREE FOLDER OUT
#
# OUT is made, and gets the YAML files that stand directly in FOLDER, which is all that vastplan reads of it. They come from
# git's objects: nothing is checked out, so no link is followed, no filter or hook runs, and no other file of the tree is on disk.
# A folder that vastplan would read otherwise once it is merged and checked out is refused. No name from the tree is printed.
set -euo pipefail
export LC_ALL=C GIT_NO_REPLACE_OBJECTS=1
tree=$1 folder=$2 out=$3
most_entries=5000 most_files=200 most_bytes=$((10 * 1024 * 1024))

refuse() {
  echo "The folder of the document is refused: $1." >&2
  exit 1
}

# Of a link this is a blob: the folder itself has to be one.
[ "$(git cat-file -t "$tree:$folder" 2> /dev/null)" = tree ] || refuse "it is not there, or is no folder"
mkdir -p "$out"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
git ls-tree -r -l -z "$tree:$folder" > "$list"
entries=0 files=0 bytes=0
while IFS= read -r -d '' entry; do
  name=${entry#*$'\t'}
  read -r mode _ object size <<< "${entry%%$'\t'*}"
  entries=$((entries + 1))
  [ "$entries" -le "$most_entries" ] || refuse "it holds more than $most_entries files"
  case "$mode" in 100644 | 100755) ;; *) refuse "a file in it is a link or a submodule" ;; esac
  case "$name" in
    .vastplan/*) refuse "it holds .vastplan, where vastplan keeps its own files" ;;
    */* | .*) continue ;;
    *.yaml | *.yml) ;;
    *) continue ;;
  esac
  [[ $name =~ ^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$ ]] || refuse "the name of a YAML file has more in it than letters, digits, . _ and -"
  files=$((files + 1)) bytes=$((bytes + size))
  [ "$files" -le "$most_files" ] || refuse "it holds more than $most_files YAML files"
  [ "$bytes" -le "$most_bytes" ] || refuse "its YAML files hold more than $most_bytes bytes"
  git cat-file blob "$object" > "$out/$name"
done < "$list"
[ "$files" -gt 0 ] || refuse "it holds no YAML file"
