export const containerPort = 8080;

/** Seconds to keep serving after SIGTERM, while the load balancer removes the machine. */
const drainSeconds = 5;

/** Seconds from SIGTERM until a machine is killed: it drains, then requests have seven seconds to finish. */
export const stopSeconds = 20;

/** Returns the command for a container with the build in `/app/build`. `part` selects the services that it runs. */
export function serveCommand(proxies: readonly string[], part: readonly string[] = []): readonly string[] {
  const drain = String(drainSeconds);
  const options = ["--data", "/data", "--host", "0.0.0.0", "--port", String(containerPort), "--drain", drain];
  const trust = proxies.flatMap((proxy) => ["--trust-proxy", proxy]);
  return ["node", "node_modules/fw/bin/fw.js", "serve", "build", ...options, ...part, ...trust];
}

/** The directory with the database addresses of all servers, in a container that prepares the database. */
export const rolesDirectory = "/roles";

/** The command for a container that prepares the database for the build in `/app/build`. */
export const migrateCommand: readonly string[] = [
  "node",
  "node_modules/fw/bin/fw.js",
  "serve",
  "build",
  "--migrate",
  "--data",
  "/data",
  "--role-passwords",
  rolesDirectory,
];

/** The command of a health check, which succeeds while the server in the container is ready for requests. */
export const readyCommand: readonly string[] = [
  "node",
  "-e",
  `require("node:http").get("http://127.0.0.1:${containerPort}/_fw/z/ready", (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on("error", () => process.exit(1))`,
];

/** A Dockerfile that builds an application and removes its development packages. */
export const dockerfile = `FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN npm ci && npx fw build && npm prune --omit=dev

FROM node:24-slim
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/.fw/build ./build
RUN mkdir /data && chown node:node /data
USER node
STOPSIGNAL SIGTERM
`;
