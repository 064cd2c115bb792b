import { posix } from "node:path";
import { initTRPC } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import * as fc from "fast-check";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { bundleOf, mounts, start, type TestApp } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { yogaAt } from "./testing/yoga.js";

// Each library is mounted twice: publicly, and below /admin behind a gate. Its protected content contains "secret".

const secret = (): Response => new Response("secret");
const nothing = (): Response => new Response("nothing", { status: 404 });

const hono = new Hono().all("/hono/admin", secret).all("/hono/admin/*", secret).all("*", nothing);

const t = initTRPC.create();
const router = t.router({ admin: t.procedure.query(() => "secret"), "admin/x": t.procedure.query(() => "secret") });

const yoga = yogaAt("/yoga/admin", "secret");

/** Responds like a lenient server, which decodes repeatedly, treats backslashes as slashes, and resolves dots. */
function forgiving(request: Request): Response {
  let path = new URL(request.url).pathname;
  for (let round = 0; round < 3; round += 1) path = decoded(path);
  path = posix.normalize(path.replaceAll("\\", "/"));
  return /^\/forgiving\/admin(?:\/|$)/.test(path) ? secret() : nothing();
}

/** Responds like a server that only decodes. */
function decoding(request: Request): Response {
  return /^\/decoding\/admin(?:\/|$)/.test(decoded(new URL(request.url).pathname)) ? secret() : nothing();
}
function collapsing(request: Request): Response {
  const path = new URL(request.url).pathname.replace(/\/+/g, "/");
  return /^\/collapsing\/admin(?:\/|$)/.test(path) ? secret() : nothing();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const libraries: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  hono: (asked) => hono.fetch(asked),
  trpc: (req) => fetchRequestHandler({ endpoint: "/trpc", req, router, createContext: () => ({}) }),
  yoga: (asked) => yoga.fetch(asked),
  forgiving,
  decoding,
  collapsing,
};
const names = Object.keys(libraries);

let app: TestApp;
beforeAll(async () => {
  const open = Object.entries(libraries).map(([name, answer]) => [`/${name}`, answerWith(answer)] as const);
  const gated = names.map((name) => [`/${name}/admin`, () => new Response("gate")] as const);
  app = await start(bundleOf(mounts(Object.fromEntries([...gated, ...open]))));
});
afterAll(() => app.close());

type Answer = (request: Request) => Response | Promise<Response>;

function answerWith(answer: Answer): (ctx: unknown, request: Request) => Response | Promise<Response> {
  return (_ctx, asked) => answer(asked);
}

async function ask(path: string): Promise<{ readonly status: number; readonly body: string }> {
  return request(app.port, `${path}?query=%7Bhello%7D`, { Accept: "application/json" });
}

test.each(names)("the libraries keep something below the gate: %s", async (name) => {
  const answer = await libraries[name]?.(new Request(`http://a.test/${name}/admin?query=%7Bhello%7D`));
  expect(await answer?.text()).toContain("secret");
  expect((await ask(`/${name}/admin`)).body).toBe("gate");
});

test.each([
  "/hono/admin%2fx",
  "/hono//admin/x",
  "/hono/x/..%2fadmin/x",
  "/hono/x%2f..%2fadmin",
  "/hono/admin%3f",
  "/hono/%2561dmin",
  "/hono/admin%252fx",
  "/hono/admin%5cx",
  "/hono/x/%2e%2e/admin",
  "/hono/./admin",
])("%s is refused: a library may read it as what another endpoint answers", async (path) => {
  expect(await ask(path)).toMatchObject({ status: 400 });
});

test.each([
  "/hono/books/a%20b",
  "/hono/@scope%2fname",
  "/hono/https%3A%2F%2Fa.test%2Fx",
  "/hono/100%25",
  "/hono//x",
  "/hono/caf%C3%A9",
  "/hono/administrator%2fx",
  "/hono/a%3fb",
  "/hono/a.b/..c",
])("%s reaches what is mounted", async (path) => {
  expect(await ask(path)).toMatchObject({ status: 404, body: "nothing" });
});

const steps = [
  "/",
  "//",
  "/",
  "\\",
  "%2f",
  "%2F",
  "%5c",
  "%252f",
  "%25252f",
  "/./",
  "/../",
  "/..%2f",
  "/%2e/",
  "/%2e%2e/",
  "/.%2e/",
  "%2f..%2f",
  "/x/../",
  "/x%2f..%2f",
  "/x/..%2f",
  "%2e",
  ";",
  "%3f",
  "%23",
  "%00",
  "%20",
  "%09",
];
const words = ["admin", "admin", "%61dmin", "adm%69n", "%2561dmin", "admin%20", "ADMIN", "x", "", "..", "hono", "trpc"];

test("no path reaches by the open mount what the gate is in front of", async () => {
  const path = fc
    .tuple(
      fc.constantFrom("", "", "", "/", "/.", "/x/..", "/x%2f.."),
      fc.constantFrom(...names),
      fc.array(fc.tuple(fc.constantFrom(...steps), fc.constantFrom(...words)), { minLength: 1, maxLength: 4 }),
    )
    .map(([before, name, rest]) => `${before}/${name}${rest.flat().join("")}`);
  const counts = { gate: 0, refused: 0, nothing: 0 };
  await fc.assert(
    fc.asyncProperty(path, async (asked) => {
      const { status, body } = await ask(asked);
      expect([asked, body]).not.toEqual([asked, expect.stringContaining("secret")]);
      counts[status === 400 ? "refused" : body === "gate" ? "gate" : "nothing"] += 1;
    }),
    { numRuns: tries(400), seed: Number(process.env["FW_SEED"] ?? 8) },
  );
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
});
