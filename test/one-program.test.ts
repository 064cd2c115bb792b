import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { openAnalyzer } from "../packages/fw/src/analysis/index.ts";
import { writeTypedApp } from "../packages/fw/src/analysis/testing/typed-app.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import { build, startService } from "./support/build.ts";
import { startDev, type Dev } from "./support/dev-app.ts";
import { Chance, head, textOf, typeOf, valueOf } from "./types/random.ts";

vi.setConfig({ testTimeout: 600_000 });

// A random program (types, names of fw's functions, calls, messages) with random requests and document operations. It
// runs as one process, as services on one machine, and as a built service started by hand.

// Before Node 24, a service that stores data needs libsql, which these applications do not install.
const libsql = { NODE_PATH: fileURLToPath(new URL("../node_modules", import.meta.url)) };

const seed = Number(process.env["FW_SEED"] ?? 5);

/** Ways to obtain the function that declares an endpoint; `API` is its placeholder. */
const callees: readonly (readonly [before: string, callee: string])[] = [
  ["", "API"],
  ["const Route = API;", "Route"],
  ["let Route = API;", "Route"],
  ["const kit = { http: { API } } as const;", "kit.http.API"],
  ["const kit = Object.freeze({ API });", "kit.API"],
  ["const { API: Route } = fw;", "Route"],
  ["", 'fw["API"]'],
  ["const kit = [API] as const;", "kit[0]"],
  ["const kit = { ...fw };", "kit.API"],
];

/** Returns a module with a random type, whose values are echoed, passed to calls, stored and sent. */
function typeModule(chance: Chance, index: number, type: string): string {
  const [before, callee] = chance.one(callees);
  return `import * as fw from "fw";
import { API, Queue, type Json } from "fw";
import { told } from "./told.ts";
${head.replace(/enum Size .*/, "type Size = 0 | 1;")}
export type Self = ${type};
${before}
export const echo${index} = ${callee}("POST /echo/${index}", (_ctx, req: { v: Self }): { v: Self } => req);
export const via${index} = API("POST /via/${index}", async (ctx, req: { v: Self }): Promise<{ v: Self; again: string }> => {
  const answer = await echo${index}.call(ctx, req);
  return { v: answer.v, again: await told(async () => answer) };
});
export const wild${index} = API("POST /wild/${index}", (ctx, req: { given: Json }): Promise<string> => told(() => echo${index}.call(ctx, { v: req.given } as never)));
void fw; void words;
${index === 0 ? 'export const sent = Queue<{ v: Self; n: number }>("sent");\nexport const send = API("POST /send", (ctx, req: { v: Self; n: number }): Promise<string> => told(async () => { await sent.send(ctx, req); return "sent"; }));' : ""}
`;
}

const toldModule = `import { isDenied, isNotFound } from "fw";
import { inspect } from "node:util";
export async function told(work: () => Promise<unknown>): Promise<string> {
  try {
    return inspect(await work(), { depth: 12, sorted: true, maxStringLength: 200 });
  } catch (error) {
    const { status, message } = error as { status?: number; message: string };
    return status === undefined ? \`fails: \${message}\` : [status, message, isNotFound(error), isDenied(error)].join(" ");
  }
}
`;

/** Document operations as data, so that a single program can run any of them. */
const workModule = `import { API, Bucket, type Context, Entity, type ID, type Index, type Int, transaction } from "fw";
import { twice } from "../other/other.ts";
import { told } from "./told.ts";
export const files = Bucket("files");
export const back = API("POST /back", (ctx, { n }: { n: Int }): Promise<string> => told(() => twice.call(ctx, { n })));
export interface Doc { id: ID; n: Index<Int>; s: Index<string>; at?: Index<Date>; deep?: { list: number[] } }
export const docs = Entity<Doc>("docs");
const again = docs;
export interface Step { act: "put" | "create" | "update" | "delete" | "get" | "find" | "all" | "some" | "count" | "first" | "fail" | "call"; id: string; n: Int; s: string }
async function act(ctx: Context, { act, id, n, s }: Step): Promise<unknown> {
  switch (act) {
    case "put": return docs.put(ctx, { id, n, s, at: new Date(n * 1000), deep: { list: [n] } });
    case "create": { const { id: _, ...made } = await docs.create(ctx, { n, s }); return made; }
    case "update": return docs.update(ctx, id, (doc) => ({ ...doc, n: doc.n + n }));
    case "delete": return docs.delete(ctx, id);
    case "get": return docs.get(ctx, id);
    case "find": return again.find(ctx, id);
    case "all": return (await docs.query().orderBy("n", "desc").all(ctx)).map((doc) => doc.n);
    case "some": return (await docs.query().where("s", "==", s).where("n", ">=", n).orderBy("n").limit(3).all(ctx)).map((doc) => doc.n);
    case "count": return docs.query().where("s", "==", s).count(ctx);
    case "first": return (await docs.query().where("n", "<", n).orderBy("n", "desc").first(ctx))?.n;
    case "fail": throw new Error("given up");
    case "call": return bump.call(ctx, { id, n });
  }
}
export const bump = API("POST /bump", async (ctx, { id, n }: { id: string; n: Int }): Promise<number> => (await docs.update(ctx, id, (doc) => ({ ...doc, n: doc.n + n }))).n);
export const work = API("POST /work", async (ctx, { steps, inside }: { steps: Step[]; inside: boolean }): Promise<string[]> => {
  let said: string[] = [];
  const all = async (inner: Context): Promise<void> => {
    said = [];
    for (const step of steps) {
      if (inside && step.act === "fail") await act(inner, step);
      said.push(await told(() => act(inner, step)));
    }
  };
  const end = await told(async () => { if (inside) await transaction(ctx, all); else await all(ctx); return "done"; });
  const left = (await docs.query().orderBy("n").all(ctx)).map(({ id, ...doc }) => doc.s + doc.n + (id.length < 9 ? id : ""));
  return [...said, end, ...left.toSorted()];
});
`;

/**
 * Returns a second package, whose calls go over HTTP if it is a separate service. The two packages import each other.
 */
const otherModule = (
  types: readonly number[],
): string => `import { API, type Int, type Json, type Path, Subscribe, Worker } from "fw";
import { told } from "../all/told.ts";
${types.map((index) => `import { echo${index} } from "../all/t${index}.ts";`).join("\n")}
import { docs, files, work } from "../all/work.ts";
import { sent } from "../all/t0.ts";
export const twice = API("POST /twice", (_ctx, { n }: { n: Int }): Int => n * 2);
export const onFile = Subscribe(files.uploaded, async () => {});
export const onDead = Subscribe(sent.dead, async () => {});
type Any = { call(ctx: unknown, request: unknown): Promise<unknown> };
const echoes: Record<string, Any> = { ${types.map((index) => `${index}: echo${index} as never`).join(", ")} };
export const across = API("POST /across/{index}", (ctx, { index, given }: { index: Path; given: Json }): Promise<string> => told(async () => echoes[index]?.call(ctx, { v: given })));
export const elsewhere = API("POST /elsewhere", (ctx, { given }: { given: Json }): Promise<string> => told(() => work.call(ctx, given as never)));
export const onSent = Worker(sent, async (ctx, { v, n }) => { await docs.put(ctx, { id: "sent" + n, n: 1000 + n, s: await told(async () => v) }); });
export const came = API("GET /came", async (ctx): Promise<string[]> => (await docs.query().where("n", ">=", 1000).orderBy("n").all(ctx)).map(({ n, s }) => n + s));
`;

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** False for a request to a service other than the one started by hand. */
  readonly alone: boolean;
}

interface Program {
  readonly files: Readonly<Record<string, string>>;
  readonly asked: readonly SentRequest[];
  /** The number of messages that it sends. */
  readonly sent: number;
}

/** Returns a program with types that fw accepts, and the requests to send to it. */
async function programOf(chance: Chance): Promise<Program> {
  const types = Array.from({ length: tries(1) > 1 ? 24 : 12 }, () => typeOf(chance, 3));
  const texts = types.map((type, index) => typeModule(chance, index, textOf(type)));
  const whole = texts.map((text, index) => `-- all/t${index}.ts --\n${text}`).join("");
  await using app = await writeTypedApp(`${whole}-- all/told.ts --\n${toldModule}`);
  const analyzer = openAnalyzer(app.root);
  const { diagnostics } = await analyzer.analyze({ types: true });
  const problems = [...diagnostics, ...(await analyzer.typeDiagnostics())];
  analyzer.close();
  const refusedPaths = new Set(problems.map(({ at }) => at.path));
  const accepted = types.flatMap((_, index) => (refusedPaths.has(`all/t${index}.ts`) ? [] : [index]));
  const [first, ...others] = accepted;
  if (first === undefined || others.length < 3) throw new Error("fw takes too few of the types");
  const samples = [first, ...others.slice(0, tries(1) > 1 ? 7 : 3)];
  const files: Record<string, string> = { "all/told.ts": toldModule, "all/work.ts": workModule };
  for (const [index, of] of samples.entries())
    files[`all/t${index}.ts`] = typeModule(chance, index, textOf(types[of] as never));
  files["other/other.ts"] = otherModule(samples.map((_, index) => index));
  const values = samples.flatMap((of, index) => {
    const type = types[of] as never;
    return Array.from({ length: 6 }, () => valueOf(chance, type, type, 5).json).flatMap((json): SentRequest[] => [
      { method: "POST", path: `/echo/${index}`, body: `{"v":${json}}`, alone: true },
      { method: "POST", path: `/via/${index}`, body: `{"v":${json}}`, alone: true },
      { method: "POST", path: `/wild/${index}`, body: `{"given":${json}}`, alone: true },
      { method: "POST", path: `/across/${index}`, body: `{"given":${json}}`, alone: false },
      ...(index === 0 ? [{ method: "POST", path: "/send", body: `{"v":${json},"n":0}`, alone: false }] : []),
    ]);
  });
  let sentCount = 0;
  const numbered = values.map((each) =>
    each.path === "/send" ? { ...each, body: each.body.replace(/"n":0\}$/, `"n":${sentCount++}}`) } : each,
  );
  const work = Array.from({ length: 16 }, (): SentRequest => {
    const body = workOf(chance);
    return chance.below(4) === 0
      ? { method: "POST", path: "/elsewhere", body: `{"given":${body}}`, alone: false }
      : { method: "POST", path: "/work", body, alone: true };
  });
  const back = { method: "POST", path: "/back", body: `{"n":21}`, alone: false };
  // A service started by hand has no documents of requests to other services.
  return {
    files,
    asked: [back, ...work.filter(({ alone }) => alone), ...numbered, ...work.filter(({ alone }) => !alone)],
    sent: sentCount,
  };
}

const acts = [
  "put",
  "put",
  "put",
  "create",
  "update",
  "delete",
  "get",
  "find",
  "all",
  "some",
  "count",
  "first",
  "fail",
  "call",
];

function workOf(chance: Chance): string {
  const steps = Array.from({ length: 1 + chance.below(5) }, () => ({
    act: chance.one(acts),
    id: chance.one(["a", "b", "c", ""]),
    n: chance.below(5),
    s: chance.one(["x", "y"]),
  }));
  return JSON.stringify({ steps, inside: chance.below(2) === 0 });
}

/** Sends a request and returns its response, without its time and id, which differ for equal requests. */
function ask(port: number, { method, path, body }: SentRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
    const outgoing = request({ port, host: "127.0.0.1", method, path, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        const shown = Object.entries(response.headers).filter(([name]) => name !== "date" && name !== "x-request-id");
        const { "x-request-id": id = "" } = response.headers;
        resolve([response.statusCode, JSON.stringify(shown.toSorted()), text.replaceAll(String(id), "ID")].join(" "));
      });
    });
    outgoing.on("error", reject).end(body);
  });
}

test("one program at random is the same in one process, as services, and built and started by hand", async () => {
  let answerCount = 0;
  for (let round = 0; round < tries(1); round += 1) {
    const { files, asked, sent: sentCount } = await programOf(new Chance(seed * 1_009 + round));
    const [one, many] = await Promise.all([startDev(files), startDev(files, "--services")]);
    const data = mkdtempSync(join(tmpdir(), "fw-one-program-"));
    try {
      await build(one.root);
      await using built = await startService(one.root, "all", { env: { ...libsql, FW_DATA: data } });
      const port = Number(new URL(built.url).port);
      for (const each of asked) {
        const here = await ask(one.port, each);
        const what = `${each.method} ${each.path} ${each.body}\n${files[each.path.replace(/^\/\w+\/(\d+)$/, "all/t$1.ts")] ?? ""}`;
        expect(await ask(many.port, each), what).toBe(here);
        if (each.alone) expect(await ask(port, each), what).toBe(here);
        if (here.startsWith("200")) answerCount += 1;
      }
      const came: SentRequest = { method: "GET", path: "/came", body: "", alone: false };
      const arrived = async (dev: Dev): Promise<string> => ask(dev.port, came);
      await expect.poll(async () => arrived(many)).toBe(await arrived(one));
      expect(sentCount).toBeGreaterThan(0);
    } finally {
      rmSync(data, { recursive: true, force: true });
      await Promise.all([one, many].map((dev) => dev[Symbol.asyncDispose]()));
    }
  }
  expect(answerCount).toBeGreaterThan(tries(40));
});
