#!/bin/sh
# Makes a release of what is checked out: deploy/release/release.sh 0.2.0
# Stamps the version into package.json and the changelog, tests, commits and tags; pushing is left to you.
set -eu

version=${1:?say which version, such as 0.2.0}
case $version in
*[!0-9.]* | *..* | .* | *.) echo "$version is not a version such as 0.2.0" >&2 && exit 1 ;;
esac
if [ -n "$(git status --porcelain)" ]; then
  echo 'commit your changes first: a release is what is checked in' >&2
  exit 1
fi
if ! grep -q '^## Unreleased$' CHANGELOG.md; then
  echo 'CHANGELOG.md has no heading "## Unreleased" with what is new' >&2
  exit 1
fi

npm version --no-git-tag-version --allow-same-version "$version" >/dev/null
today=$(date -u +%Y-%m-%d)
sed -i.bak "s/^## Unreleased\$/## $version ($today)/" CHANGELOG.md
rm CHANGELOG.md.bak
if [ "${SKIP_TESTS:-}" != yes ]; then
  npm run docs
  npm test
fi

git commit --quiet --all --message "release: $version"
git tag --annotate "v$version" --message "$version"
echo "v$version is tagged. With git push --follow-tags the automation tests and publishes it; see docs/releasing.md."
