#!/bin/sh
# Is a tag one that can be released? deploy/release/check-tag.sh v0.2.0 example-org/cloud-platform-exporter
set -eu

tag=${1:?say which tag, such as v0.2.0}
home=${2:?say which repository, such as example-org/cloud-platform-exporter}
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
chart=deploy/helm/cloud-platform-exporter/Chart.yaml
of_chart=$(sed -n -e 's/^version: //p' -e "s/^appVersion: //p" "$chart" | tr -d "'" | sort -u)
if [ "$tag" != "v$version" ] || [ "$version" != "$of_chart" ]; then
  echo "the tag is $tag, but package.json says $version and $chart $of_chart: make tags with deploy/release/release.sh" >&2
  exit 1
fi
if ! grep -qF "\"url\": \"git+https://github.com/$home.git\"" package.json; then
  echo "package.json names another repository than $home: run npm run setup-home -- $home, and commit it" >&2
  exit 1
fi
"$(dirname "$0")/notes.sh" "$version" >/dev/null
