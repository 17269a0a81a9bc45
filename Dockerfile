# Two images: `--target operator` (controller, ingress and gateway; the plugin lies beside them) and `--target sandbox`
# (the runtime and what an agent needs at least). `docker build --target operator .` in a fresh clone is enough;
# BUNDLES=prebuilt takes the programs from dist/ instead of building them here; NODE_IMAGE is another base, such as a mirror's.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
ARG BUNDLES=build

# Docker without BuildKit makes both of the next two stages, whichever is used.
FROM ${NODE_IMAGE} AS build
ARG BUNDLES
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN test "$BUNDLES" != build || npm ci --ignore-scripts --no-audit --no-fund --loglevel=warn
COPY tsconfig.json ./
COPY hack/build hack/build
COPY src src
RUN test "$BUNDLES" != build || { node hack/build/main.ts && mv dist /dist; }

FROM scratch AS prebuilt
# A fresh clone has no dist/.
COPY package.json dist* /dist/

FROM ${BUNDLES} AS bundles

# Node with the libraries that it is linked with: no shell, no package manager, nothing else to patch.
FROM ${NODE_IMAGE} AS node
RUN mkdir /files && cp --parents --dereference /usr/local/bin/node $(ldd /usr/local/bin/node | grep -o '/[^ ]*') /files

FROM scratch AS operator
ENV NODE_ENV=production HOME=/
COPY --from=node /files /
COPY --from=bundles /dist/runwright.mjs /dist/kubectl-runwright.mjs /opt/runwright/
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/node", "/opt/runwright/runwright.mjs"]

FROM ${NODE_IMAGE} AS sandbox
ENV NODE_ENV=production
# A base image that has them already is left as it is, so it can be built without a package mirror.
RUN command -v bash && command -v git && command -v ssh && command -v tini && test -s /etc/ssl/certs/ca-certificates.crt \
 || (apt-get update && apt-get install -y --no-install-recommends bash ca-certificates git openssh-client tini \
     && rm -rf /var/lib/apt/lists/*)
# Runtime and agent are different users, so that neither reads the other's memory and files, with one group for the
# volumes they share. Both need a passwd entry (git and ssh ask for one), and git has to work in folders of either.
RUN groupadd --gid 10000 runwright \
 && useradd --uid 10001 --gid 10000 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin runwright-runtime \
 && useradd --uid 10002 --gid 10000 --create-home --home-dir /home/agent --shell /bin/bash runwright-agent \
 && mkdir --mode 2775 /workspace && chown runwright-agent:runwright /workspace \
 && git config --system safe.directory '*'
COPY --from=bundles /dist/runwright-sandbox.mjs /opt/runwright/
COPY hack/images/launcher.sh /usr/local/bin/runwright-sandbox
USER 10002:10000
ENTRYPOINT ["/usr/local/bin/runwright-sandbox"]
