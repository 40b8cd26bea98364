# The host in a container. Build: docker build -t holdfast .
# Run, reachable from this machine alone:
#   docker run -d --name holdfast -p 127.0.0.1:4747:4747 -v holdfast:/var/lib/holdfast -v "$PWD:/workspace" holdfast
#   docker logs holdfast      # a link that signs one browser in
#   docker exec -it holdfast holdfast run shell "echo hi"
# Why it listens on all addresses inside, and who can reach it then, is in packaging/docker/config.jsonc.

FROM node:22-slim AS build
WORKDIR /src
COPY . .
# Installs what the lockfile names, bundles and packs; then the tarball is installed as anybody would install it.
RUN node scripts/pack.mjs --into /out \
 && npm install --prefix /opt/holdfast --no-audit --no-fund --ignore-scripts /out/holdfast-*.tgz

FROM node:22-slim
# tini passes signals on and takes up the processes that agents leave; git is what nearly every agent asks for first.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git tini \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/holdfast /opt/holdfast
COPY packaging/docker/config.jsonc /etc/holdfast/config.jsonc
RUN ln -s /opt/holdfast/node_modules/.bin/holdfast /usr/local/bin/holdfast \
 && install -d -o node -g node -m 0700 /var/lib/holdfast \
 && install -d -o node -g node /workspace
ENV HOLDFAST_HOME=/var/lib/holdfast
VOLUME /var/lib/holdfast
WORKDIR /workspace
# What agents run is not sandboxed from each other; it is kept in by the container, and is not root in it.
USER node
EXPOSE 4747
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4747/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "holdfast"]
CMD ["serve", "--config", "/etc/holdfast/config.jsonc"]
