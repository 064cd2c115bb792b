import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { composeFile } from "../../generate/hosting/compose.ts";
import { manifestOf, type BuiltApp } from "../../build/manifest.ts";
import { hostedServices } from "../../generate/hosting/hosted-services.ts";
import { kubernetesServicesFile } from "../../generate/hosting/kubernetes-services.ts";
import { kubernetesFile } from "../../generate/hosting/kubernetes.ts";
import { hostingNeeds, type HostingNeeds } from "../../generate/hosting/needs.ts";
import { sourceRoot } from "../app-root.ts";
import { suggestion } from "../../lib/suggest.ts";
import { builtApp } from "../build/built-app.ts";
import { checkedApp } from "../checked-app.ts";
import { Refusal, refuseOnError, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { platformGrants } from "../../topology/grants.ts";
import { frontName } from "../../topology/machine-network.ts";
import { databaseNeeds } from "../serve/server-role.ts";
import { output } from "./write.ts";

interface ComposeOptions {
  readonly out: string | undefined;
  readonly objects: string | undefined;
}

interface KubernetesOptions extends ComposeOptions {
  readonly image: string | undefined;
  readonly egress: readonly string[] | undefined;
  readonly services: true | undefined;
}

export async function writeCompose(options: ComposeOptions, io: IO): Promise<ExitCode> {
  const { root, needs } = await read(io);
  const { out, objects } = options;
  if (objects !== undefined) requireObjects(needs, objects);
  const directory = out === undefined ? io.cwd : dirname(resolve(io.cwd, out));
  const code = output(composeFile(needs, relative(directory, root) || ".", objects), options, io);
  nameMissingPackages(root, needs, io);
  return code;
}

/** Prints the resources for Kubernetes, or writes them to a file. */
export async function writeKubernetes(options: KubernetesOptions, io: IO): Promise<ExitCode> {
  const { image, objects, egress = [], out, services } = options;
  const root = sourceRoot(io.cwd);
  if (image === undefined)
    throw new Refusal("missing option --image: the application's image, such as registry.example.com/notes:1");
  if (services) return writeServices(root, { ...options, image }, io);
  const { needs } = await read(io);
  requireObjects(needs, objects);
  const settings = { image, objects, egress: egress.map(egressPort) };
  const code = output(kubernetesFile(needs, settings), { out }, io);
  nameMissingPackages(root, needs, io);
  return code;
}

/**
 * Prints the resources for services that run separately, or writes them to a file. Needs a build, because only bundles
 * show which secrets a service reads.
 */
async function writeServices(
  root: string,
  { image, objects, egress = [], out }: KubernetesOptions & { readonly image: string },
  io: IO,
): Promise<ExitCode> {
  const built = await builtApp(root, "local", io);
  if (built === undefined) return 1;
  const needs = hostingNeeds(built.app);
  requireObjects(needs, objects);
  const secrets = new Map(manifestOf(built).services.map((service) => [service.name, service.secrets]));
  const services = hostedServices({ ...built, secretsOf: (name) => secrets.get(name) ?? [] }, needs);
  const settings = {
    image,
    objects,
    egress: egress.map((text) => egressOf(text, needs.services)),
    roleOf: await roleOfServers(built),
  };
  const code = output(
    refuseOnError(() => kubernetesServicesFile(needs, services, settings)),
    { out },
    io,
  );
  nameMissingPackages(root, needs, io);
  return code;
}

/** Returns a function that maps a service, by default the front, to the database role of its server. */
async function roleOfServers({ app, uses }: Pick<BuiltApp, "app" | "uses">) {
  const grants = Object.fromEntries(platformGrants(app, uses));
  const { servers } = await databaseNeeds({ app, grants });
  return (service: string = frontName): string => servers.get(service)?.role ?? "";
}

function requireObjects(needs: HostingNeeds, objects: string | undefined): void {
  if (!needs.hasBuckets || objects?.startsWith("s3://")) return;
  throw new Refusal(
    objects === undefined
      ? "missing option --objects: where the objects of the application's buckets are stored, such as s3://bucket?region=…"
      : `"--objects" must be the address of an object store, such as s3://bucket?region=…, not "${objects}"`,
  );
}

/** Parses a port, or `orders=587` for the port of one service. */
function egressOf(text: string, services: readonly string[]) {
  const [, service, port = ""] = /^(?:(.*)=)?(.*)$/s.exec(text) ?? [];
  if (service !== undefined && !services.includes(service))
    throw new Refusal(`"--egress": no service is named "${service}"${suggestion(service, services)}`);
  return { service, port: egressPort(port) };
}

async function read(io: IO): Promise<{ readonly root: string; readonly needs: HostingNeeds }> {
  const root = sourceRoot(io.cwd);
  return { root, needs: hostingNeeds(await checkedApp(root)) };
}

function egressPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refusal(`"--egress" must be a port, not "${text}"`);
  return port;
}

/** Prints the missing npm packages that the image needs for the database, buckets and social sign-in. */
function nameMissingPackages(root: string, { hasBuckets, hasSocial }: HostingNeeds, io: IO): void {
  const { resolve: find } = createRequire(join(root, "package.json"));
  const drivers = [
    ["pg", "pg@8"],
    ...(hasBuckets ? [["aws4fetch", "aws4fetch@1"]] : []),
    ...(hasSocial ? [["oauth4webapi", "oauth4webapi@3"]] : []),
  ] as const;
  const missing = drivers.filter(([name = ""]) => {
    try {
      return find(name) === "";
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return;
  io.err.write(
    `the image needs packages that are not installed: npm install ${missing.map(([, spec]) => spec).join(" ")}\n`,
  );
}
