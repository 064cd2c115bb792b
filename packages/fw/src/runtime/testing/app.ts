import type { Context } from "../../declare/context.ts";
import { endpoint, type EndpointDeclaration } from "../../declare/endpoint.ts";
import { Mount, type MountHandler } from "../../declare/mount.ts";
import { HTML } from "../../declare/html.ts";
import { Site, type SiteConfig } from "../../declare/site.ts";
import { StatusPage, type StatusPageDeclaration } from "../../declare/status.ts";
import type { Sessions } from "../auth/sessions.ts";
import type { Bundle, BundledEndpoint, BundledSite, CompiledTemplate } from "../bundle.ts";
import type { RawRequest } from "../decode/raw-request.ts";
import { createService, type Handler } from "../handler.ts";
import type { LogRecord } from "../observe/log.ts";
import type { HandlerOptions, Served } from "../options.ts";
import { responder } from "../respond.ts";
import { serve, type RunningServer, type ServeOptions } from "../server.ts";
import { settings } from "../settings.ts";

/** The parts of an endpoint that a test sets. The rest are common defaults. */
export interface TestEndpoint extends Partial<Omit<BundledEndpoint, "declaration" | "route">> {
  readonly run?: (ctx: Context, request: RawRequest) => unknown;
}

type Endpoints = Readonly<Record<string, TestEndpoint | ((ctx: Context, request: RawRequest) => unknown)>>;

/** Creates API endpoints by route. Each handler gets the raw request. */
export function apis(endpoints: Endpoints): BundledEndpoint[] {
  return Object.entries(endpoints).map(([route, each]) => bundled("api", route, each));
}

/** Creates pages by route. */
export function pages(endpoints: Endpoints): BundledEndpoint[] {
  return Object.entries(endpoints).map(([route, each]) => bundled("page", route, each));
}

/** Creates mounts by path. */
export function mounts(handlers: Readonly<Record<string, MountHandler>>): BundledEndpoint[] {
  return Object.entries(handlers).map(([path, handler]) => ({
    ...bundled("api", `* ${path}`, {}),
    declaration: Mount(path, handler) as unknown as EndpointDeclaration,
    kind: "mount",
    carries: "stream",
  }));
}

function bundled(kind: "api" | "page", route: string, parts: Endpoints[string]): BundledEndpoint {
  const { run = () => undefined, ...settings } = typeof parts === "function" ? { run: parts } : parts;
  return {
    declaration: endpoint<RawRequest, unknown>(kind, route, run),
    kind,
    route,
    method: route.split(" ")[0] ?? "",
    package: 0,
    signIn: false,
    private: false,
    maxAge: 0,
    carries: "nothing",
    exactIntegers: false,
    decode: (raw) => raw,
    ...settings,
  };
}

export interface TestSite extends SiteConfig {
  readonly dir?: string;
  readonly templates?: Readonly<Record<string, CompiledTemplate>>;
}

export function siteOf({ dir = "/nonexistent", templates = {}, ...config }: TestSite): BundledSite {
  const { redirects = {}, trustedHTML = false, notFound, fallback } = config;
  const site = { declaration: Site(dir, config), dir, assets: {}, redirects, trustedHTML, templates };
  return { ...site, ...(notFound === undefined ? {} : { notFound }), ...(fallback === undefined ? {} : { fallback }) };
}

export interface TestPackage {
  readonly site?: BundledSite;
  readonly status?: StatusPageDeclaration["handler"];
}

export function bundleOf(endpoints: readonly BundledEndpoint[], { site, status }: TestPackage = {}): Bundle {
  return {
    app: "test",
    match: matcher(endpoints),
    methods: [...new Set(endpoints.map((each) => each.method))].toSorted(),
    endpoints,
    packages: [{ name: "web", service: "web", ...(site && { site }), ...(status && { status: StatusPage(status) }) }],
  };
}

function matcher(endpoints: readonly BundledEndpoint[]): Bundle["match"] {
  const patterns = endpoints.map(({ method, route }) => ({
    method,
    segments: route.slice(method.length + 1).split("/"),
  }));
  return (method, path, params) => {
    if (/%(?![0-9a-f]{2})/i.test(path)) return -2;
    const parts = path.split("/");
    const routed = patterns.findIndex((each) => each.method === method && fits(each.segments, parts));
    const mounted = (each: (typeof patterns)[number]): boolean =>
      each.method === "*" && `${path}/`.startsWith(`${each.segments.join("/").replace(/\/$/, "")}/`);
    const index = routed === -1 ? patterns.findIndex(mounted) : routed;
    patterns[index]?.segments.forEach((each, i) => {
      if (each.startsWith("{")) params.push(decodeURIComponent(parts[i] ?? ""));
    });
    return index;
  };
}

function fits(pattern: readonly string[], given: readonly string[]): boolean {
  return pattern.length === given.length && pattern.every((each, i) => each.startsWith("{") || each === given[i]);
}

export interface TestApp extends RunningServer, AsyncDisposable {
  readonly app: Served;
  readonly url: string;
  readonly logs: LogRecord[];
}

export interface TestOptions extends Partial<HandlerOptions> {
  /** Looks up the signed-in user instead of the platform's sessions. */
  readonly sessions?: Pick<Sessions, "find">;
}

/**
 * Time limits longer than any test, so that no test passes only because a limit ends a connection. Tests of a limit set
 * their own.
 */
const ceilings = { headersMs: 3_600_000, bodyMs: 3_600_000, stalledMs: 3_600_000, keepAliveMs: 3_600_000 };

/** Serves a bundle on a free port of the loopback interface. */
export async function start(
  bundle: Bundle,
  { sessions, ...options }: TestOptions = {},
  times: ServeOptions["times"] = {},
): Promise<TestApp> {
  const logs: LogRecord[] = [];
  const service = createService(bundle, { settings: settings.test, log: (record) => logs.push(record), ...options });
  const app = sessions === undefined ? service.app : { ...service.app, sessions: sessions as Sessions };
  const handler: Handler = responder(app);
  const server = await serve(handler, { port: 0, host: "127.0.0.1", times: { ...ceilings, drainMs: 500, ...times } });
  return {
    ...server,
    app,
    url: `http://127.0.0.1:${server.port}`,
    logs,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Creates a document like that of `site.render`. */
export function documentOf(text: string): HTML {
  return new HTML(text, true);
}

/** Creates a fragment like that of `site.fragment`. */
export function fragmentOf(text: string): HTML {
  return new HTML(text, false);
}
