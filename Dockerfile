# What builds the exporter runs on the machine that builds: JavaScript is the same for every architecture, so an image
# for another one needs no emulation. `:-linux` and no mounts, for a Docker without BuildKit. The base is written out, in
# both places, because the bot that updates it reads no variable.
FROM --platform=${BUILDPLATFORM:-linux} docker.io/library/node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build
# For cloud_exporter_build_info.
ARG REVISION=
RUN printf '%s' "${REVISION}" > dist/revision
# Types, source maps and manuals are a third of the packages and are never loaded.
RUN npm prune --omit=dev \
  && find node_modules -type f \( -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.map' -o -name '*.md' \) -delete

FROM docker.io/library/node:26-bookworm-slim
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="cloud-platform-exporter" \
  org.opencontainers.image.description="Prometheus exporter for the servers of a cloud platform" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
# Files and names that hang keep a thread each: with four, two dead mounts and a dead resolver would leave none for gzip.
ENV UV_THREADPOOL_SIZE=8
WORKDIR /app
COPY package.json LICENSE ./
COPY dashboards/runbook.md ./dashboards/
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 10700
# Without a shell in between: the exporter itself is told to stop, and drains.
ENTRYPOINT ["node", "/app/dist/main.js"]
