#!/usr/bin/env bash
# Builds the image, runs it as a strict cluster would, scrapes it and stops it.
# Needs a running Docker, or podman, buildah and runc (and debootstrap, once, where no image registry is at hand).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
image=${1:-localhost/cloud-platform-exporter:trial}
container=cloud-platform-exporter-trial-$$
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$root/package.json")
revision=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)

say() { printf '%s\n' "$*"; }
fail() {
  say "FAILED: $*" >&2
  exit 1
}

build_arguments=(--build-arg "VERSION=$version" --build-arg "REVISION=$revision" -t "$image")

if docker info >/dev/null 2>&1; then
  engine=(docker)
  run_arguments=()
  docker build "${build_arguments[@]}" "$root"
else
  for program in podman buildah runc; do
    command -v "$program" >/dev/null || fail "neither a running docker nor $program is here"
  done
  engine=(podman --runtime runc)
  # A process that may not raise its limits cannot ask for podman's usual ones.
  run_arguments=(--ulimit nofile=1024:1024 --ulimit nproc=4096:4096)
  base=$(sed -n 's/^FROM \(docker\.io[^ ]*\).*/\1/p' "$root/Dockerfile")
  podman image exists "$base" || podman pull --quiet "$base" 2>/dev/null || "$root/deploy/image/make-base.sh" "$base"
  # HEALTHCHECK exists in Docker's format only.
  buildah bud --isolation chroot --format docker --pull-never "${build_arguments[@]}" "$root"
fi

trap '"${engine[@]}" rm --force "$container" >/dev/null 2>&1 || true' EXIT

# The demo brings its own cloud, so the container needs no network at all.
"${engine[@]}" run --detach --name "$container" --network none --read-only --cap-drop=ALL \
  --security-opt no-new-privileges ${run_arguments[@]+"${run_arguments[@]}"} "$image" --demo >/dev/null

inside() { "${engine[@]}" exec "$container" "$@"; }
get() {
  inside node -e "fetch('http://127.0.0.1:10700' + process.argv[1]).then(async (answer) => {
    console.log(await answer.text());
    process.exit(answer.ok ? 0 : 1);
  }, () => process.exit(1))" "$1"
}

for attempt in $(seq 30); do
  get /-/healthy >/dev/null 2>&1 && break
  [ "$attempt" -lt 30 ] || { "${engine[@]}" logs "$container" >&2; fail 'it does not become healthy'; }
  sleep 1
done
say "healthy: $(get /-/healthy)"

[ "$(inside id -u)" = 1000 ] || fail 'it does not run as user 1000'
inside sh -c 'touch /app/written 2>/dev/null' && fail 'its files can be written'
inside grep -q '^CapEff:[[:space:]]*0*$' /proc/1/status || fail 'it has capabilities'
inside grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/1/status || fail 'it could gain privileges'
for package in typescript vitest oxlint playwright-core; do
  inside test ! -e "/app/node_modules/$package" || fail "$package is in the image"
done
say 'runs as user 1000, read-only, without capabilities, without development packages'

metrics=$(get /metrics)
grep -q '^cloud_up{cloud="demo"} 1$' <<<"$metrics" || fail 'the demo cloud is not up'
page=$(get /)
grep -q 'The cloud is up' <<<"$page" || fail 'the landing page does not show the demo cloud'
say "scraped: $(grep -c '^cloud_servers{' <<<"$metrics") series of cloud_servers, cloud_up is 1"

if [ "${engine[0]}" = docker ]; then
  for attempt in $(seq 40); do
    [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ] && break
    [ "$attempt" -lt 40 ] || fail 'the health check of the image does not pass'
    sleep 1
  done
else
  "${engine[@]}" healthcheck run "$container" || fail 'the health check of the image does not pass'
fi
say 'the health check of the image passes'

own_bytes=$(inside du -sb /app)

started=$(date +%s%N)
"${engine[@]}" kill --signal TERM "$container" >/dev/null
code=$("${engine[@]}" wait "$container")
[ "$code" = 0 ] || fail "it ended with $code on SIGTERM"
say "SIGTERM: ended with 0 after $((($(date +%s%N) - started) / 1000000)) ms"

megabytes() { awk '{ printf "%.1f MB", $1 / 1000000 }'; }
whole=$("${engine[@]}" image inspect --format '{{.Size}}' "$image" | megabytes)
say "image: $whole, of which the exporter: $(megabytes <<<"$own_bytes")"
