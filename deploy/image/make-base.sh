#!/usr/bin/env bash
# Makes a local stand-in for docker.io/library/node:26-bookworm-slim, or another version, from Debian and npm packages,
# for machines without an image registry.
# It is for trying the Dockerfile out; images that are published are built on the real one.
set -euo pipefail

name=$1
tag=${name##*:}
node_version=${tag%%-*}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
rootfs=$folder/rootfs

# The mirror that this machine uses already.
mirror=$(cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 's/^URIs: *//p' | head -n 1)
[ -n "$mirror" ] || mirror=$(sed -n 's/^deb  *\(\[[^]]*\] *\)\{0,1\}\(http[^ ]*\).*/\2/p' /etc/apt/sources.list | head -n 1)
debootstrap --variant=minbase --include=ca-certificates,tzdata,libatomic1 bookworm "$rootfs" "$mirror" >"$folder/log" 2>&1 \
  || { tail -n 20 "$folder/log" >&2; exit 1; }

case $(uname -m) in
  x86_64) architecture=x64 ;;
  aarch64) architecture=arm64 ;;
  *) echo "no Node.js package for $(uname -m)" >&2; exit 1 ;;
esac
cd "$folder"
npm pack --silent "node-linux-$architecture@$node_version" npm@11 >/dev/null
mkdir node-package npm-package
tar -xzf node-linux-"$architecture"-*.tgz -C node-package --strip-components 1
tar -xzf npm-[0-9]*.tgz -C npm-package --strip-components 1
install -m 755 node-package/bin/node "$rootfs/usr/local/bin/node"
mkdir -p "$rootfs/usr/local/lib/node_modules"
cp -r npm-package "$rootfs/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$rootfs/usr/local/bin/npm"
chmod 755 "$rootfs/usr/local/lib/node_modules/npm/bin/npm-cli.js"
chroot "$rootfs" useradd --uid 1000 --user-group --create-home node

# Packages may come through a proxy whose certificate only this machine trusts.
certificates=/etc/ssl/certs/ca-certificates.crt
[ ! -e "$certificates" ] || cp "$certificates" "$rootfs$certificates"

rm -rf "$rootfs"/var/cache/apt/* "$rootfs"/var/lib/apt/lists/* "$rootfs"/usr/share/{doc,man,locale}/*
tar -C "$rootfs" -cf base.tar .
podman import --quiet --change "ENV NODE_EXTRA_CA_CERTS=$certificates" base.tar "$name"
