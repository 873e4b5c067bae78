#!/bin/sh
# Makes a release of what is checked out: deploy/release/release.sh 0.2.0, or 0.2.0-rc.1 for a candidate.
# Stamps the version into package, chart and changelog, tests, commits and tags; pushing is left to you.
set -eu

version=${1:?say which version, such as 0.2.0}
refuse() {
  echo "$1" >&2
  exit 1
}
echo "$version" | grep -Eqx '(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-rc\.[1-9][0-9]*)?' ||
  refuse "$version is not a version such as 0.2.0 or 0.2.0-rc.1"
[ -z "$(git status --porcelain)" ] || refuse 'commit your changes first: a release is what is checked in'
! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || refuse "v$version is there already"
"$(dirname "$0")/notes.sh" Unreleased >/dev/null
! grep -q "^## $version " CHANGELOG.md || refuse "CHANGELOG.md has a heading \"## $version\" already"

npm version --no-git-tag-version --allow-same-version "$version" >/dev/null
chart=deploy/helm/cloud-platform-exporter/Chart.yaml
sed -i.bak -e "s/^version: .*/version: $version/" -e "s/^appVersion: .*/appVersion: '$version'/" "$chart"
# What is new in a candidate stays unreleased.
case $version in
*-rc.*) ;;
*) sed -i.bak "s/^## Unreleased\$/## $version ($(date -u +%Y-%m-%d))/" CHANGELOG.md ;;
esac
rm -f "$chart.bak" CHANGELOG.md.bak
if [ "${SKIP_TESTS:-}" != yes ]; then
  npm run docs
  npm test
fi

git commit --quiet --all --allow-empty --message "release: $version"
git tag --annotate "v$version" --message "$version"
echo "v$version is tagged. With git push --follow-tags the automation tests and publishes it; see docs/releasing.md."
