import { beforeAll, expect, test } from "vitest";
import { openAnalyzer } from "../packages/fw/src/analysis/index.ts";
import { writeApp } from "../packages/fw/src/analysis/testing/app.ts";
import { beginDeclaring } from "../packages/fw/src/declare/declaration-records.ts";
import * as all from "../packages/fw/src/declare/index.ts";
import { evaluate } from "../packages/fw/src/generate/testing/evaluate.ts";
import { exposedName } from "../packages/fw/src/generate/expose.ts";
import { generator } from "../packages/fw/src/generate/wiring.ts";
import type { WrittenSetting, WrittenSettings } from "../packages/fw/src/lib/written-settings.ts";
import type { App } from "../packages/fw/src/model/app.ts";
import { isDeclarationName } from "../packages/fw/src/model/kinds.ts";
import type { Bundle } from "../packages/fw/src/runtime/bundle.ts";
import { checkDeclared } from "../packages/fw/src/runtime/check-declarations.ts";

/** Every kind of declaration that has settings, with all of them. */
const source = `import { API, Alert, Auth, Channel, Counter, Cron, Histogram, Job, Limit, MCP, Mount, Page, Queue, RequireRole, Role, Runner, Secret, Service, Singleton, Site, Socket, Subscribe, Topic, Worker, percentile, rate } from "fw";
export const Editor = Role("editor");
export const CanEdit = RequireRole(Editor);
export const auth = Auth({ social: true, password: true, tokens: true });
export const service = Service({ domain: "shop.example.com", profile: "latency", footprint: { cpu: 2, memory: "1Gi" }, traffic: { minInstances: 1, maxInstances: 4, concurrency: 8, timeout: "20s" } });
export const site = Site("site", { build: { command: "true", out: "site" }, redirects: { "/old": "/new" }, trustedHTML: true, language: "en", notFound: "missing.html", fallback: "index.html" });
export const edit = API("POST /edit", () => 1, { allow: CanEdit, footprint: { cpu: 2 }, traffic: { timeout: "20s" } });
export const room = Socket("GET /room", async () => {}, { allow: CanEdit, maxBody: "2MB", traffic: { timeout: "20s" } });
export const mcp = MCP("/mcp", { tools: [edit], allow: CanEdit, maxBody: "2MB", traffic: { timeout: "20s" } });
export const graph = Mount("/graphql", () => new Response(), { allow: CanEdit, maxBody: "2MB", traffic: { timeout: "20s" } });
export const home = Page("GET /", () => "", { maxAge: "10m", profile: "latency" });
export const sign = Page("POST /sign", () => "", { once: true });
export const board = Page("GET /board", () => "", { live: true });
export const digest = Cron("digest", "every 15m", () => {}, { timezone: "Europe/Zurich", deadline: "10m", traffic: { maxInstances: 4 } });
export const mails = Queue("mails");
export const mailer = Worker(mails, () => {}, { maxAttempts: 7, minBackoff: "1s", maxBackoff: "5m", rateLimit: 3, traffic: { timeout: "1m" } });
export const placed = Topic("placed");
export const listener = Subscribe(placed, () => {}, { maxAttempts: 8, minBackoff: "2s", maxBackoff: "6m", footprint: { memory: "512Mi" } });
export const rebuild = Job("rebuild");
export const rebuilder = Runner(rebuild, () => {}, { attempts: 2, tasks: 3, timeout: "7m", footprint: { memory: "512Mi" } });
export const relay = Singleton("relay", async () => {}, { footprint: { memory: "512Mi" } });
export const signUps = Limit("sign-up", "10/h");
export const hook = Secret("HOOK");
export const oncall = Channel("oncall", { webhook: hook });
export const office = Channel("office", { email: "office@example.com" });
export const sold = Counter("sold");
export const took = Histogram("took");
export const quiet = Alert("quiet", { if: rate(sold).below(2), every: "5m", for: "10m", notify: [oncall, office] });
export const slow = Alert("slow", { if: percentile(took, 0.95).above(300), every: "6m", notify: [oncall] });
`;

let app: App;
beforeAll(async () => {
  const site = "-- web/site/templates/missing.html --\n<p></p>\n-- web/site/index.html --\n<p></p>\n";
  await using files = await writeApp(
    `-- package.json --\n{ "name": "app", "type": "module" }\n-- web/a.ts --\n${source}\n${site}`,
  );
  const analyzer = openAnalyzer(files.root);
  ({ app } = await analyzer.analyze());
  analyzer.close();
});

type Functions = Readonly<Record<string, unknown>>;
const fw: Functions = { ...all };

/** Loads the application with the wiring of a model. Throws if loading refuses it. */
function load(model: App, functions: Functions = fw): void {
  beginDeclaring();
  const module = evaluate(source, () => functions);
  const own: Functions = Object.fromEntries(Object.entries(module).map(([name, value]) => [exposedName(name), value]));
  const { entry, files } = generator()(model);
  const functionsByKind = new Map<string, Functions>();
  const resolve = (specifier: string): Functions => {
    const text = files.get(specifier);
    if (text === undefined) return { ...module, ...own };
    const known = functionsByKind.get(specifier) ?? evaluate(text, resolve);
    functionsByKind.set(specifier, known);
    return known;
  };
  checkDeclared(resolve(entry)["default"] as Bundle);
}

/** Returns the paths of all constants in the settings. */
function leavesOf(value: WrittenSetting, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object") return [path];
  return Object.entries(value).flatMap(([key, each]: [string, WrittenSetting]) => leavesOf(each, [...path, key]));
}

function changed(value: WrittenSetting, [key, ...rest]: readonly string[]): WrittenSetting {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value === "string" || key === undefined) return `${value as string}x`;
  if (Array.isArray(value))
    return value.map((each: WrittenSetting, index) => (String(index) === key ? changed(each, rest) : each));
  const record = value as WrittenSettings;
  return { ...record, [key]: changed(record[key] ?? "", rest) };
}

test("an application that is as the source says loads", () => {
  expect(() => load(app)).not.toThrow();
});

test("every setting of every declaration that is another one when it loads is refused, and named", () => {
  const writtenEntries = Object.entries(app.written ?? {});
  let compared = 0;
  for (const [key, settings] of writtenEntries) {
    for (const path of leavesOf(settings)) {
      const [setting = ""] = path;
      if (setting === "maxAge") continue;
      const model = { ...app, written: { ...app.written, [key]: changed(settings, path) as WrittenSettings } };
      expect(() => load(model), `${key} ${path.join(".")}`).toThrow(
        ` has a different ${setting} when the application loads`,
      );
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(50);
});

test("a setting that only the running application has is refused on every declaration that takes settings", () => {
  for (const name of Object.keys(fw).filter(isDeclarationName)) {
    let added = 0;
    const more: Functions = {
      ...fw,
      [name]: (...args: unknown[]) => {
        const last = args.at(-1);
        const isConfig = typeof last === "object" && last !== null && !("kind" in last);
        if (isConfig) added += 1;
        const real = fw[name] as (...args: unknown[]) => unknown;
        return isConfig ? real(...args.slice(0, -1), { ...last, surprise: "x" }) : real(...args);
      },
    };
    if (takesNothing.has(name)) load(app, more);
    else expect(() => load(app, more), name).toThrow("has a different surprise when the application loads");
    expect(added > 0, name).toBe(!takesNothing.has(name));
  }
});

const takesNothing: ReadonlySet<string> = new Set([
  "StatusPage",
  "RequireMember",
  "Tenant",
  "ErrorShape",
  "Authenticator",
  "Entity",
  "Role",
  "Policy",
  "RequireRole",
  "Secret",
  "Bucket",
  "Queue",
  "Topic",
  "Job",
  "Limit",
  "Feed",
  "Mail",
  "Seed",
  "Counter",
  "Histogram",
]);
