#!/bin/sh
# What is new in a version, from the changelog: deploy/release/notes.sh 0.2.0; a candidate has what is unreleased.
set -eu

version=${1:?say which version, such as 0.2.0}
case $version in *-rc.*) version=Unreleased ;; esac
notes=$(awk -v heading="## $version " '
  /^## / { inside = index($0 " ", heading) == 1; next }
  inside { print }
' CHANGELOG.md)
if [ -z "$notes" ]; then
  echo "CHANGELOG.md has nothing under the heading \"## $version\"" >&2
  exit 1
fi
printf '%s\n' "$notes" | sed '/./,$!d'
