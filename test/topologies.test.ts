import { existsSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { drainMs } from "../packages/fw/src/lib/limits.ts";
import { accepted, next, refusedRequests } from "../packages/fw/src/runtime/testing/odd-requests.ts";
import { exchange } from "../packages/fw/src/runtime/testing/server.ts";
import { build, startService, type RunningService } from "./support/build.ts";
import { startDev, type Dev } from "./support/dev-app.ts";

// The same application as one process, as services behind one port, and as a built service. The tests compare
// everything visible.
const harbour = String.raw`
-- quay/quay.ts --
import { API, Auth, blob, Cron, Errorf, NotFound, Page, Site } from "fw";
import type { Blob, Form, Header, Int, Path, Query, Raw } from "fw";
export const auth = Auth({ password: true });
export const site = Site("./public", { redirects: { "/old": "/new" } });
export const root = API("GET /", () => "root");
export const rootPost = API("POST /", () => "posted");
export const next = API("GET /next", () => "next");
export const echo = API("POST /echo", (_ctx, req: { text: string; n?: Int }) => req);
export const removal = API("DELETE /things/{id}", (_ctx, req: { id: Path; why: string }) => req);
export const thing = API("GET /things/{id}", (_ctx, { id, n }: { id: Path; n?: Query<Int> }) => ({ id, n: n ?? 0 }));
export const agent = API("GET /agent", (ctx) => ctx.client);
export const mine = API("GET /mine", (ctx) => ctx.user().id, { signIn: true });
export const page = Page("GET /page", (ctx) => site.render(ctx, "page.html"));
export const form = Page("POST /page", (ctx, { name }: { name: Form }) => site.fragment(ctx, "page.html"));
export const upload = API("POST /upload", (_ctx, { file }: { file: Form<Blob> }) => ({ size: file.size, type: file.type }));
export const missing = API("GET /missing", () => { throw NotFound(); });
export const teapot = API("GET /teapot", () => { throw Errorf(418, "short and stout"); });
export const broken = API("GET /broken", () => { throw new Error("secret"); });
export const text = API("GET /text", () => blob("0123456789", { type: "text/plain", etag: "v1" }));
export const labelled = API("POST /labelled", (_ctx, { name, body }: { name: Header; body: Raw }) =>
  blob(name, { type: body.type }), { maxBody: "1MB" });
export const later = API("GET /later", () => new Promise<string>((resolve) => setImmediate(() => setImmediate(() => resolve("later")))));
export const cached = API("GET /cached", () => ({ rye: 3 }), { maxAge: "1h" });
export const sweep = Cron("sweep", "0 4 * * *", () => {});
const encoder = new TextEncoder();
export const endless = API("GET /endless", () => blob(new ReadableStream({
  start: (controller) => controller.enqueue(encoder.encode("begun\n")),
}), { type: "text/plain" }));
export const slow = API("GET /slow", (ctx) => new Promise<string>((resolve) => {
  ctx.signal.addEventListener("abort", () => resolve("late"), { once: true });
}));
-- quay/public/templates/layout.html --
<!doctype html>
<html lang="en"><head><title>quay</title></head><body>{{content}}</body></html>
-- quay/public/templates/page.html --
<p>boats</p>
-- quay/public/boat.svg --
<svg xmlns="http://www.w3.org/2000/svg"/>
-- cellar/cellar.ts --
import { API } from "fw";
export const hidden = API("GET /hidden", () => "hidden", { private: true });
-- depot/depot.ts --
import { API, Queue, Worker, type Path } from "fw";
import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
export const put = API("PUT /things/{id}", (_ctx, req: { id: Path }) => req);
export const crates = Queue<{ name: string }>("crates");
export const send = API("POST /crates", (ctx, { name }: { name: string }) => crates.send(ctx, { name }).then(() => {}));
export const carry = Worker(crates, async (ctx, { name }) => {
  const say = (what: string): void => appendFileSync(process.env["DIARY"] ?? "diary", name + " " + what + "\n");
  ctx.signal.addEventListener("abort", () => say("told"), { once: true });
  say("begun");
  while (!ctx.signal.aborted) await setTimeout(10);
  await setTimeout(200);
  say("ended");
});
`;
const files = Object.fromEntries(filesOf(harbour));
const libsql = { NODE_PATH: fileURLToPath(new URL("../node_modules", import.meta.url)) };

let one: Dev;
let services: Dev;
let built: RunningService;
let cellar: RunningService;
let depot: RunningService;

beforeAll(async () => {
  [one, services] = await Promise.all([startDev(files), startDev(files, "--services")]);
  await build(one.root);
  [built, cellar, depot] = (await Promise.all(
    ["quay", "cellar", "depot"].map((name) =>
      startService(one.root, name, { env: { ...libsql, FW_DATA: join(one.root, `data-of-${name}`) } }),
    ),
  )) as [RunningService, RunningService, RunningService];
});

afterAll(async () => {
  await Promise.all([one, services, built, cellar, depot].map((each) => each?.[Symbol.asyncDispose]()));
});

/** Returns the port of the built service that has the route. */
function builtPort(request: string): number {
  const service = request.startsWith("GET /hidden") ? cellar : request.startsWith("PUT /things") ? depot : built;
  return Number(new URL(service.url).port);
}

/** Returns everything received on a connection until it closes, without the parts that vary over time. */
async function transcriptOf(port: number, request: string): Promise<string> {
  const answer = await exchange(port, Buffer.from(request, "latin1"));
  return answer
    .replaceAll(/^date: .*/gim, "Date: now")
    .replaceAll(/^x-request-id: [0-9a-f]{16}/gim, "X-Request-Id: an id")
    .replaceAll(/(?<=fw_csrf=)[^;]*/g, "made")
    .replaceAll(/(?<=\r\n|^)HTTP\/1\.1 .*?\r\n\r\n/gs, inOrder);
}

/** Returns the head of a response with its headers sorted. */
function inOrder(head: string): string {
  const [status = "", ...lines] = head.trimEnd().split("\r\n");
  const headers = lines.map((line) => line.replace(/^[\w-]+/, (name) => name.toLowerCase()));
  return `${[status, ...headers.toSorted()].join("\n")}\n\n`;
}

function message(line: string, headers: readonly string[] = [], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: localhost", ...headers, "Connection: close", "", body].join("\r\n");
}

const json = "Content-Type: application/json";
const length = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}`;
const chunks = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const filePart = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b--\r\n`;

/**
 * The cookie of a session that has ended. Nothing in the depot reads the user, so as a service it looks up no session.
 */
const staleCookie = `Cookie: fw_session=${"a".repeat(43)}`;

const requests: Readonly<Record<string, string>> = {
  "a GET": message("GET /things/7?n=3"),
  "a session where nothing asks who visits": message("PUT /things/7", [staleCookie, "Content-Length: 0"]),
  "a session from another site where nothing asks who visits": message("PUT /things/7", [
    staleCookie,
    "Sec-Fetch-Site: cross-site",
    "Content-Length: 0",
  ]),
  "a HEAD": message("HEAD /things/7"),
  "a wrong value": message("GET /things/7?n=x"),
  "a path that is no percent-encoding": message("GET /things/%zz"),
  "a target that is a URL": message("GET http://localhost/things/7?n=3"),
  "a target that is a URL without a path": message("GET http://localhost"),
  "OPTIONS of everything": message("OPTIONS *"),
  "OPTIONS of a path that two packages have": message("OPTIONS /things/7"),
  "another method of a path that two packages have": message("PATCH /things/7"),
  "OPTIONS of a file": message("OPTIONS /boat.svg"),
  "another method of a file": message("POST /boat.svg", [length("")]),
  "a file": message("GET /boat.svg"),
  "a redirect of a site": message("GET /old?a=b"),
  "nothing there": message("GET /nowhere"),
  "nothing there, for a browser": message("GET /nowhere", ["Accept: text/html"]),
  "a POST": message("POST /echo", [json, length(`{"text":"a"}`)], `{"text":"a"}`),
  "a POST in chunks": message("POST /echo", [json, "Transfer-Encoding: chunked"], chunks(`{"text":"a"}`)),
  "a POST without a body": message("POST /echo", [json]),
  "a POST that is no JSON": message("POST /echo", [json, length("{")], "{"),
  "a body that is too large": message("POST /echo", [json, "Content-Length: 2000000"]),
  "a body of another type": message("POST /echo", ["Content-Type: text/plain", length("a")], "a"),
  "two content types": message("POST /echo", [json, "Content-Type: text/plain", length("{}")], "{}"),
  "a DELETE with a body": message("DELETE /things/7", [json, length(`{"why":"old"}`)], `{"why":"old"}`),
  "a DELETE with a body in chunks": message(
    "DELETE /things/7",
    [json, "Transfer-Encoding: chunked"],
    chunks(`{"why":"old"}`),
  ),
  "a GET with a body": message("GET /things/7", [length("hello")], "hello"),
  "two user agents": message("GET /agent", ["User-Agent: one", "User-Agent: two"]),
  "no user agent": message("GET /agent"),
  "a forwarded address that a client makes up": message("GET /agent", ["X-Fw-Client-IP: 203.0.113.7"]),
  "a token that a client makes up": message("GET /agent", ["X-Fw-Forwarded: a.b.c", "Authorization: Bearer a.b.c"]),
  "a private route": message("GET /hidden"),
  "a private route, for a browser": message("GET /hidden", ["Accept: text/html"]),
  "a route for who is signed in": message("GET /mine"),
  "a form without its token": message(
    "POST /page",
    ["Content-Type: application/x-www-form-urlencoded", length("name=a")],
    "name=a",
  ),
  "an upload": message("POST /upload", ["Content-Type: multipart/form-data; boundary=b", length(filePart)], filePart),
  "a refusal": message("GET /missing"),
  "a status of one's own": message("GET /teapot"),
  "a failure": message("GET /broken"),
  "a range": message("GET /text", ["Range: bytes=2-4"]),
  "what has not changed": message("GET /text", [`If-None-Match: "v1"`]),
  "what may be cached": message("GET /cached"),
  "headers in bytes beyond ASCII": message(
    "POST /labelled",
    ["Name: J\xf6rg", "Content-Type: text/plain; by=J\xf6rg", length("a")],
    "a",
  ),
  "what is no request, behind one that takes a while": `GET /later HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n`,
  "a session that ends": message("DELETE /_fw/api/session"),
  "a sign-in from another site": message(
    "POST /_fw/api/session",
    ["Origin: http://evil.example", json, length("{}")],
    "{}",
  ),
  "a sign-in of nobody": message("POST /_fw/api/session", [json, length("{}")], "{}"),
  "the framework's own diagnostics": message("GET /_fw/z/health"),
  "a cron that nobody may trigger": message("POST /_fw/api/cron/sweep", [length("")]),
  "a tunnel": "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "an expectation that nobody knows": message("POST /echo", [json, "Expect: magic", length("{}")], "{}"),
  "a body that waits to be asked for": message(
    "POST /echo",
    [json, "Expect: 100-continue", length(`{"text":"a"}`)],
    `{"text":"a"}`,
  ),
  "a body that waits, and is not asked for": message("POST /nowhere", [
    json,
    "Expect: 100-continue",
    "Content-Length: 9",
  ]),
  "HTTP/1.0": "GET /things/7 HTTP/1.0\r\nHost: localhost\r\n\r\n",
  "HTTP/1.0 and a connection to keep":
    "GET /things/7 HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\nGET /next HTTP/1.0\r\n\r\n",
  "two requests at once": `GET /things/7 HTTP/1.1\r\nHost: localhost\r\n\r\n${message("GET /next")}`,
  "a header that is too large": message("GET /next", [`X: ${"x".repeat(20_000)}`]),
  "a body that comes late": message("POST /nowhere", [json, "Content-Length: 100"]),
};

/** The differences documented in docs/services.md: features that a service lacks, or that only development has. */
const differsBuilt: ReadonlySet<string> = new Set([
  // A service lists only the methods of its own package.
  "OPTIONS of everything",
  "OPTIONS of a path that two packages have",
  "another method of a path that two packages have",
  // A built service has no test users.
  "a sign-in of nobody",
  // A built service accepts any host name.
  "HTTP/1.0 and a connection to keep",
  "an upper-case Host",
  "HTTP/1.0 without a Host",
]);

async function compare(what: string, request: string): Promise<void> {
  const [here, behind, deployed] = await Promise.all(
    [one.port, services.port, builtPort(request)].map((port) => transcriptOf(port, request)),
  );
  expect(behind).toBe(here);
  if (differsBuilt.has(what)) expect(deployed).not.toBe(here);
  else expect(deployed).toBe(here);
}

describe("one process, services behind one port, and a built service answer alike:", () => {
  test.each(Object.entries(requests))("%s", (what, request) => compare(what, request));
});

describe("what another HTTP implementation could read differently is refused alike, and nothing after it is answered:", () => {
  test.each(Object.entries(refusedRequests))("%s", (what, request) => compare(what, request + next));
});

describe("what only looks odd is answered alike:", () => {
  test.each(Object.entries(accepted))("%s", (what, request) =>
    compare(what, request.replaceAll("Host: a\r", "Host: localhost\r")),
  );
});

test("the address of a visitor is that of its connection, whatever it says", async () => {
  const request = message("GET /agent", ["X-Forwarded-For: 203.0.113.7", "User-Agent: mine"]);
  const addresses = await Promise.all([one.port, services.port].map((port) => transcriptOf(port, request)));
  for (const answer of addresses) expect(answer).toContain(`{"ip":"127.0.0.1","userAgent":"mine"}`);
  // The header comes from a platform in front of a built service.
  expect(await transcriptOf(builtPort(request), request)).toContain(`"ip":"203.0.113.7"`);
});

test("a built service lets nobody to a private route unless its environment says that a platform guards it", async () => {
  const request = message("GET /hidden");
  expect(await transcriptOf(builtPort(request), request)).toContain("HTTP/1.1 403 ");
  const env = { ...libsql, FW_DATA: join(one.root, "data-behind"), FW_BEHIND: "platform" };
  await using guarded = await startService(one.root, "cellar", { env });
  expect(await transcriptOf(Number(new URL(guarded.url).port), request)).toContain(`"hidden"`);
});

/** Opens a connection with a request in progress, and collects everything received until it closes. */
async function begin(port: number, request: string, until: string): Promise<{ readonly closed: Promise<string> }> {
  const socket: Socket = connect(port, "127.0.0.1");
  let text = "";
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.includes(until)) resolve();
    });
    socket.write(request, () => (until === "" ? resolve() : undefined));
  });
  return { closed };
}

/**
 * Stops a server while half a head, an endless response, a waiting handler and, with messages, a delivery are in
 * flight.
 */
async function stopping(port: number, root: string | undefined, stop: () => Promise<unknown>): Promise<object> {
  if (root !== undefined) {
    await transcriptOf(port, message("POST /crates", [json, length(`{"name":"rum"}`)], `{"name":"rum"}`));
    await expect.poll(() => existsSync(join(root, "diary"))).toBe(true);
  }
  const connections = [
    await begin(port, "GET / HTTP/1.1\r\nHost: localh", ""),
    await begin(port, message("GET /endless").replace("Connection: close\r\n", ""), "begun"),
    await begin(port, message("GET /slow").replace("Connection: close\r\n", ""), ""),
  ];
  const startedAt = performance.now();
  const code = await stop();
  const took = performance.now() - startedAt;
  const [half, endless, slow] = await Promise.all(connections.map(({ closed }) => closed));
  return {
    code,
    half,
    endless: endless?.includes("begun"),
    slow,
    // Leaves time for the flush, which takes at least a second, and for a busy machine. Without a limit, the stop would
    // never end.
    late: took > drainMs + 20_000,
    ...(root !== undefined && { diary: readFileSync(join(root, "diary"), "utf8") }),
  };
}

// FW_SLOW_CLIENTS=1 waits for the real limits, a minute. packages/fw/src/topology/front.test.ts uses shorter ones.
test.runIf(process.env["FW_SLOW_CLIENTS"])("slow clients are cut alike", async () => {
  const trickle = `POST /echo HTTP/1.1\r\nHost: localhost\r\n${json}\r\nContent-Length: 1000\r\n\r\n`;
  const [here, ...others] = await Promise.all(
    [one.port, services.port, builtPort("")].map(async (port) => ({
      head: await transcriptOf(port, "GET / HTTP/1.1\r\nHost: localh"),
      body: await (await begin(port, trickle, "")).closed,
    })),
  );
  expect(here?.head).toContain("HTTP/1.1 408 ");
  expect(others).toEqual([here, here]);
});

test("told to stop, all cut what does not end at the ceiling, and let deliveries end that are told", async () => {
  const signalled = (dev: Dev) => (): Promise<unknown> => {
    dev.process.kill("SIGTERM");
    return dev.exited;
  };
  const [here, behind, deployed] = await Promise.all([
    stopping(one.port, one.root, signalled(one)),
    stopping(services.port, services.root, signalled(services)),
    stopping(builtPort(""), undefined, () => built.stop()),
  ]);
  expect(here).toEqual({
    code: 0,
    half: "",
    endless: true,
    slow: "",
    late: false,
    diary: "rum begun\nrum told\nrum ended\n",
  });
  expect(behind).toEqual(here);
  expect({ ...here, ...deployed }).toEqual(here);
});
