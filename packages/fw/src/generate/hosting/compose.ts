import type { HostingNeeds } from "./needs.ts";
import { containerPort, dockerfile, readyCommand, serveCommand, stopSeconds } from "./serve-command.ts";
import { yamlOf, type Yaml } from "./yaml.ts";

/** The private network, whose addresses `--trust-proxy` trusts. */
const subnet = "10.87.0.0/24";

const machines = ["app-1", "app-2"];

const region = "garage";

/**
 * Returns a compose file with PostgreSQL, an object store if the application has buckets, two machines, and Caddy in
 * front of them. `context` is the path from the file to the application.
 */
export function composeFile(needs: HostingNeeds, context: string): string {
  const { name, hasBuckets } = needs;
  const document: Yaml = {
    name,
    services: {
      postgres: postgres(name),
      ...(hasBuckets && { garage: garage(name) }),
      ...Object.fromEntries(machines.map((machine, index) => [machine, application(needs, context, index + 1)])),
      caddy: caddy(),
    },
    configs: { caddyfile: { content: caddyfile }, ...(hasBuckets && { "garage-toml": { content: garageToml } }) },
    volumes: Object.fromEntries(volumesOf(hasBuckets).map((volume) => [volume, {}])),
    networks: { default: { ipam: { config: [{ subnet }] } } },
  };
  return [...head(needs), "", yamlOf(document)].join("\n");
}

function head({ name, secrets, hasBuckets }: HostingNeeds): readonly string[] {
  const variables = [
    "POSTGRES_PASSWORD=$(openssl rand -hex 32)",
    ...(hasBuckets
      ? [
          "AWS_ACCESS_KEY_ID=GK$(openssl rand -hex 16)",
          "AWS_SECRET_ACCESS_KEY=$(openssl rand -hex 32)",
          "GARAGE_RPC_SECRET=$(openssl rand -hex 32)",
        ]
      : []),
    "DOMAIN=the host name that leads to this machine",
    ...secrets.map((secret) => `${secret}=...`),
  ];
  return [
    `# Made by fw gen compose: PostgreSQL, two machines of ${name} and Caddy. See fw docs self-hosting.`,
    "# Write these into the file .env beside this one, each with its value, then run docker compose up -d --build:",
    ...variables.map((variable) => `#   ${variable}`),
  ];
}

function postgres(name: string): Yaml {
  return {
    image: "postgres:17",
    environment: { POSTGRES_USER: name, POSTGRES_DB: name, POSTGRES_PASSWORD: required("POSTGRES_PASSWORD") },
    volumes: ["postgres:/var/lib/postgresql/data"],
    healthcheck: health(["CMD", "pg_isready", "-U", name]),
    restart: "unless-stopped",
  };
}

function garage(name: string): Yaml {
  return {
    image: "dxflrs/garage:v2.4.1",
    command: ["/garage", "server", "--single-node", "--default-bucket"],
    environment: {
      GARAGE_RPC_SECRET: required("GARAGE_RPC_SECRET"),
      GARAGE_DEFAULT_BUCKET: name,
      GARAGE_DEFAULT_ACCESS_KEY: required("AWS_ACCESS_KEY_ID"),
      GARAGE_DEFAULT_SECRET_KEY: required("AWS_SECRET_ACCESS_KEY"),
    },
    configs: [{ source: "garage-toml", target: "/etc/garage.toml" }],
    volumes: ["garage-meta:/var/lib/garage/meta", "garage-data:/var/lib/garage/data"],
    healthcheck: health(["CMD", "/garage", "health"]),
    restart: "unless-stopped",
  };
}

function application({ name, secrets, hasBuckets }: HostingNeeds, context: string, number: number): Yaml {
  return {
    image: `${name}:local`,
    build: { context, dockerfile_inline: dockerfile },
    command: serveCommand([subnet]),
    environment: {
      FW_DATABASE: `postgres://${name}:${required("POSTGRES_PASSWORD")}@postgres:5432/${name}`,
      ...(hasBuckets && {
        FW_OBJECTS: `s3://${name}?region=${region}&endpoint=http://garage:3900`,
        AWS_ACCESS_KEY_ID: required("AWS_ACCESS_KEY_ID"),
        AWS_SECRET_ACCESS_KEY: required("AWS_SECRET_ACCESS_KEY"),
      }),
      ...Object.fromEntries(secrets.map((secret) => [secret, required(secret)])),
    },
    volumes: [`machine-${number}:/data`],
    depends_on: {
      postgres: { condition: "service_healthy" },
      ...(hasBuckets && { garage: { condition: "service_healthy" } }),
    },
    healthcheck: health(["CMD", ...readyCommand]),
    stop_grace_period: `${stopSeconds}s`,
    restart: "unless-stopped",
  };
}

function caddy(): Yaml {
  return {
    image: "caddy:2",
    ports: ["80:80", "443:443", "443:443/udp"],
    configs: [{ source: "caddyfile", target: "/etc/caddy/Caddyfile" }],
    volumes: ["caddy:/data"],
    depends_on: machines,
    restart: "unless-stopped",
  };
}

function health(test: readonly string[]): Yaml {
  return { test, interval: "5s", timeout: "5s", retries: 5, start_period: "60s" };
}

/** Refers to a variable in `.env`, without which compose does not start. */
function required(name: string): string {
  return `\${${name}:?write ${name} into .env}`;
}

function volumesOf(hasBuckets: boolean): readonly string[] {
  const own = machines.map((_, index) => `machine-${index + 1}`);
  return ["postgres", ...(hasBuckets ? ["garage-meta", "garage-data"] : []), ...own, "caddy"];
}

const caddyfile = `\${DOMAIN:-localhost} {
  reverse_proxy ${machines.map((machine) => `${machine}:${containerPort}`).join(" ")} {
    health_uri /_fw/z/ready
    health_interval 1s
    lb_try_duration 10s
  }
}
`;

const garageToml = `metadata_dir = "/var/lib/garage/meta"
data_dir = "/var/lib/garage/data"
db_engine = "lmdb"
replication_factor = 1
rpc_bind_addr = "[::]:3901"
rpc_public_addr = "127.0.0.1:3901"

[s3_api]
s3_region = "${region}"
api_bind_addr = "[::]:3900"
`;
