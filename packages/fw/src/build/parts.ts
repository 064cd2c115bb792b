import type { BuiltService } from "./build.ts";
import type { BundledModule } from "./chunks.ts";
import type { Capability } from "./capabilities.ts";
import { toRoot } from "./source-name.ts";
import { markdownFile } from "./lazy-modules.ts";

export interface ServicePart {
  readonly name: string;
  readonly bytes: number;
  /** False if the service loads it late or never. */
  readonly isLoadedAtStart: boolean;
  readonly reason: string;
}

/**
 * fw's modules by path prefix. The longest matching prefix determines a module's part and the capability that needs it.
 */
const ownParts: readonly (readonly [path: string, name: string, because: string])[] = [
  ["fw/runtime/page/", "pages", "usesPages"],
  ["fw/runtime/page/htmx.js", "requests and responses", "every service"],
  ["fw/runtime/access/csrf", "forms", "usesPages"],
  ["fw/runtime/body/form.js", "forms", "usesForms"],
  ["fw/runtime/body/multipart", "forms", "usesForms"],
  ["fw/runtime/body/json-exact.js", "Int64", "usesInt64"],
  ["fw/runtime/body/fields.js", "bound headers and cookies", "usesFields"],
  ["fw/runtime/site/", "files of a site", "usesSites"],
  ["fw/lib/asset", "files of a site", "usesSites"],
  ["fw/runtime/blob/", "blobs and streams", "usesBlobs"],
  ["fw/runtime/response/reply-headers.js", "replies", "usesReplies"],
  ["fw/runtime/auth/", "identity", "usesIdentity"],
  ["fw/runtime/auth/account/", "account pages", "usesAccounts"],
  ["fw/service/gcp/sign-in", "identity", "usesIdentity"],
  ["fw/runtime/auth/policy.js", "policies", "usesPolicies"],
  ["fw/runtime/access/origins.js", "other origins", "usesOrigins"],
  ["fw/runtime/mount/", "mounts", "usesMounts"],
  ["fw/runtime/mcp/", "MCP servers", "usesMCP"],
  ["fw/runtime/socket/", "sockets", "usesSockets"],
  ["fw/runtime/remote/", "calls of other services", "usesRemotes"],
  ["fw/runtime/calls/", "calls of other services", "usesRemotes"],
  ["fw/runtime/entity/", "entities", "usesEntities"],
  ["fw/runtime/mail/", "mails", "usesMails"],
  ["fw/lib/html-references.js", "mails", "usesMails"],
  ["fw/browser/character-references.js", "mails", "usesMails"],
  ["fw/runtime/tenant/", "tenants", "usesTenants"],
  ["fw/lib/tenant-fields.js", "tenants", "usesTenants"],
  ["fw/runtime/bucket/", "buckets", "usesBuckets"],
  ["fw/runtime/signed/", "buckets", "usesBuckets"],
  ["fw/runtime/background/", "background work", "usesBackground"],
  ["fw/runtime/background/cron.js", "crons", "usesCrons"],
  ["fw/lib/cron", "crons", "usesCrons"],
  ["fw/runtime/observe/metrics/", "metrics", "an environment that reads them"],
  ["fw/service/telemetry-export.js", "metrics", "an environment that reads them"],
  ["fw/service/gcp/metrics.js", "metrics", "an environment that reads them"],
  ["fw/service/otlp/", "OpenTelemetry", "an environment with OTEL_EXPORTER_OTLP_ENDPOINT"],
  ["fw/service/local/peers.js", "services side by side", "fw serve and fw dev --services"],
  ["fw/service/local/peer-config.js", "services side by side", "fw serve and fw dev --services"],
  ["fw/service/local/peer-directory.js", "services side by side", "fw serve and fw dev --services"],
  ["fw/platform/loopback/", "services side by side", "fw serve and fw dev --services"],
  ["fw/platform/call", "services side by side", "fw serve and fw dev --services"],
  ["fw/platform/local/", "the local platform", "usesData"],
  ["fw/platform/gcp/", "Google Cloud", "--platform gcp"],
  ["fw/service/gcp", "Google Cloud", "--platform gcp"],
  ["fw/platform/", "the platform's documents and messages", "usesData"],
  ["fw/", "requests and responses", "every service"],
];

const mostParts = 10;

/** Returns the largest parts of a service's code, with the reason why the service contains each part. */
export function largestParts(built: BuiltService): readonly ServicePart[] {
  const parts = new Map<string, ServicePart>();
  for (const { name: file, modules, isLoadedAtStart = false } of built.files) {
    for (const module of modules?.() ?? []) {
      const [name, reason] = file === markdownFile ? markdownPart : partOf(built, module);
      const key = `${name}\0${isLoadedAtStart}`;
      const bytes = (parts.get(key)?.bytes ?? 0) + module.bytes;
      parts.set(key, { name, reason, isLoadedAtStart, bytes });
    }
  }
  return [...parts.values()].toSorted((one, other) => other.bytes - one.bytes).slice(0, mostParts);
}

const markdownPart = ["markdown libraries", "templates that render markdown"] as const;

const generatedPart = ["decoders, routes and templates", "generated for the application"] as const;

function partOf(built: BuiltService, { path }: BundledModule): readonly [name: string, reason: string] {
  const [, ofPackage] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  if (ofPackage !== undefined) return [ofPackage, reasonFor(built, ofPackage === "ws" ? "usesSockets" : "a package")];
  const matching = ownParts.filter(([start]) => path.startsWith(start));
  const [found] = matching.toSorted((one, other) => other[0].length - one[0].length);
  if (found !== undefined) return [found[1], reasonFor(built, found[2])];
  const module = path.slice(toRoot.length + 1);
  return module.startsWith("fw:") ? generatedPart : [module, "code of the application"];
}

function reasonFor({ capabilities }: BuiltService, because: string): string {
  return because in capabilities ? (capabilities[because as Capability] ?? "imported by another part") : because;
}
