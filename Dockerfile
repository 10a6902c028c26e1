# The program is a few files, so the image is Node and little else. This file is linted, and what it copies is started in
# a test; the image itself was never built where this is developed, which has no container engine.
#   docker build -t rootward .
#   docker run -i --rm -v "$PWD:/workspace" rootward
FROM node:22-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund

FROM node:22-slim
COPY --from=build /build/packages/server/dist/*.cjs /build/packages/server/dist/*.html /build/packages/server/dist/THIRD-PARTY-NOTICES.txt /opt/rootward/dist/
COPY --from=build /build/packages/server/sdk /opt/rootward/sdk
USER node
WORKDIR /workspace
ENTRYPOINT ["node", "/opt/rootward/dist/rootward.cjs"]
# Folders of a client outside mean nothing in here.
CMD ["--root", "/workspace", "--client-roots", "ignore"]
