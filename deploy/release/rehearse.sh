#!/bin/sh
# For the workflow's rehearsal: what release.sh would make of this commit, on the runner only. rehearse.sh v0.2.0-rc.1
set -eu

tag=${1:?say which tag, such as v0.2.0-rc.1}
export GIT_AUTHOR_NAME=rehearsal GIT_AUTHOR_EMAIL=rehearsal@example.com
export GIT_COMMITTER_NAME=rehearsal GIT_COMMITTER_EMAIL=rehearsal@example.com
SKIP_TESTS=yes "$(dirname "$0")/release.sh" "${tag#v}"
