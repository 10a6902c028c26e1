# The program is one file with a loader, so the image is Node and little else.
#   docker build -t rootward .
#   docker run -i --rm -v "$PWD:/workspace" rootward
FROM node:22-slim AS build
WORKDIR /build
COPY . .
RUN npm install --no-audit --no-fund

FROM node:22-slim
COPY --from=build /build/packages/server/dist/*.cjs /build/packages/server/dist/THIRD-PARTY-NOTICES.txt /opt/rootward/dist/
COPY --from=build /build/packages/server/sdk /opt/rootward/sdk
USER node
WORKDIR /workspace
ENTRYPOINT ["node", "/opt/rootward/dist/rootward.cjs"]
# Folders of a client outside mean nothing in here.
CMD ["--root", "/workspace", "--client-roots", "ignore"]
