import { request as outgoing } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { exchange, parseAnswer } from "../packages/fw/src/runtime/testing/server.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

// A harbour whose mounts report what they receive and try to send forbidden headers.
const harbour = String.raw`
-- harbour/access.ts --
import { API, Auth, RequireRole, Role } from "fw";
export const auth = Auth({ password: true, tokens: true });
export const Pilot = Role("pilot");
export const CanSteer = RequireRole(Pilot);
export const token = API("POST /token", async (ctx) => (await auth.tokens.create(ctx, ctx.user(), { name: "t", expires: "1h" })).secret, { signIn: true });

-- harbour/harbour.ts --
import { API, Mount, type Context } from "fw";
import { CanSteer } from "./access.ts";

const told = async (ctx: Context, request: Request): Promise<Response> =>
  Response.json({
    method: request.method,
    path: new URL(request.url).pathname + new URL(request.url).search,
    headers: Object.fromEntries(request.headers),
    body: await request.text(),
    user: ctx.maybeUser()?.email ?? "nobody",
  });
export const echo = Mount("/echo", told);
export const deep = Mount("/echo/deep", () => new Response("deep"));
export const known = API("GET /echo/known/{id}", (_ctx, { id }) => id);
export const members = Mount("/members", told, { signIn: true });
export const steering = Mount("/steering", told, { allow: CanSteer, maxBody: "2MB" });

/** Echoes each chunk in capitals as it arrives. */
export const stream = Mount("/stream", (_ctx, request) => {
  const decoder = new TextDecoder();
  const loud = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => controller.enqueue(new TextEncoder().encode(decoder.decode(chunk).toUpperCase())),
  });
  return new Response(request.body?.pipeThrough(loud) ?? null);
});

const answers: Record<string, () => unknown> = {
  "/odd/framing": () => new Response("12345", { headers: { "Content-Length": "2", "Transfer-Encoding": "identity", Connection: "keep-alive, x-a", "Keep-Alive": "timeout=9" } }),
  "/odd/own": () => new Response("x", { headers: { "X-Request-Id": "mine", "X-Fw-Result": "json", "X-Content-Type-Options": "sniff", "Cache-Control": "max-age=60" } }),
  "/odd/session": () => new Response("x", { headers: { "Set-Cookie": "fw_session=abc; Path=/" } }),
  "/odd/cookies": () => new Response("x", { headers: [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]] }),
  "/odd/split": () => new Response("x", { headers: { "X-A": "1\r\nX-B: 2" } }),
  "/odd/nothing": () => undefined,
  "/odd/status": () => ({ status: 99, headers: new Headers(), body: null }),
  "/odd/cut": () => new Response(new ReadableStream({ pull(controller) { controller.enqueue(new TextEncoder().encode("some")); controller.error(new Error("broken")); } })),
};
export const odd = Mount("/odd", (_ctx, request) => answers[new URL(request.url).pathname]?.() as Response);
`;

interface Echo {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly user: string;
}

describe.each(mostTopologies)("what is mounted %s", (...topology) => {
  let app: Running;
  let url: string;
  let alice: string;
  beforeAll(async () => {
    app = await startFiles(topology, Object.fromEntries(filesOf(harbour)));
    url = `http://localhost:${app.port}`;
    const body = new URLSearchParams({ dev_user: "alice" });
    const signedIn = await fetch(`${url}/_fw/api/session`, { method: "POST", body, redirect: "manual" });
    alice =
      signedIn.headers
        .getSetCookie()
        .find((each) => each.includes("fw_session="))
        ?.split(";")[0] ?? "";
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  const echoOf = async (path: string, init: RequestInit = {}): Promise<Echo> =>
    (await (await fetch(url + path, init)).json()) as Echo;
  const raw = async (head: string): Promise<number> =>
    parseAnswer(await exchange(app.port, `${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).status;

  test("has every method at its path and below, but what a longer path or a route has", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      const { method: got, path } = await echoOf("/echo/a/b?c=d", { method });
      expect([got, path]).toEqual([method, "/echo/a/b?c=d"]);
    }
    expect((await echoOf("/echo")).path).toBe("/echo");
    expect((await echoOf("/%65cho/x%2Fy")).path).toBe("/%65cho/x%2Fy");
    expect(await (await fetch(`${url}/echo/deep/er`)).text()).toBe("deep");
    expect(await (await fetch(`${url}/echo/known/7`)).json()).toBe("7");
    expect((await echoOf("/echo/known/7", { method: "POST", body: "x" })).body).toBe("x");
    const head = await fetch(`${url}/echo`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(`${url}/echoes`)).status).toBe(404);
  });

  test("gets no path that it could read as another endpoint's", async () => {
    for (const path of [
      "/echo/deep%2fx",
      "/echo//deep",
      "/echo/x%2f..%2fdeep",
      "/echo/x/..%5cdeep",
      "/echo/%2564eep",
    ]) {
      expect([path, await raw(`GET ${path} HTTP/1.1`)]).toEqual([path, 400]);
    }
    for (const path of ["/echo//x", "/echo/a%2Fb", "/echo/100%25", "/echo/deeper%2Fx"])
      expect([path, (await echoOf(path)).path]).toEqual([path, path]);
  });

  // Debian's Caddy reads the client's whole body before it forwards the response.
  test("takes a body as it comes and answers meanwhile", { skip: process.env["FW_CADDY"] !== undefined }, async () => {
    const heard = await new Promise<string[]>((resolve, reject) => {
      const chunks: string[] = [];
      const outgoingRequest = outgoing(`${url}/stream`, { method: "POST" }, (answer) => {
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          chunks.push(chunk);
          if (chunks.length === 1) outgoingRequest.end("second");
        });
        answer.on("end", () => resolve(chunks));
      });
      outgoingRequest.on("error", reject);
      outgoingRequest.write("first");
    });
    expect(heard).toEqual(["FIRST", "SECOND"]);
  });

  test("stands behind its gates, and learns who passed, but not by what", async () => {
    const signedIn = { Cookie: `theme=dark; ${alice}; __Host-fw_csrf=x` };
    expect((await fetch(`${url}/members`)).status).toBe(401);
    const memberEcho = await echoOf("/members/x", { headers: { ...signedIn, "X-Fw-Session": "abc", "X-Own": "1" } });
    expect(memberEcho.user).toMatch(/alice/);
    expect([memberEcho.headers["cookie"], memberEcho.headers["x-own"], memberEcho.headers["x-fw-session"]]).toEqual([
      "theme=dark",
      "1",
      undefined,
    ]);
    const secret = (await (await fetch(`${url}/token`, { method: "POST", headers: signedIn })).json()) as string;
    const byToken = await echoOf("/members", { headers: { Authorization: `Bearer ${secret}` } });
    expect([byToken.user, byToken.headers["authorization"]]).toEqual([memberEcho.user, undefined]);
    expect((await echoOf("/echo", { headers: { Authorization: "Basic abc" } })).headers["authorization"]).toBe(
      "Basic abc",
    );
    expect((await fetch(`${url}/steering`, { headers: signedIn })).status).toBe(403);
    const cache = await fetch(`${url}/members`, { headers: signedIn });
    expect(cache.headers.get("cache-control")).toBe("no-store");
  });

  test("is not used by another site with a visitor's session", async () => {
    const elsewhere = { Cookie: alice, "Sec-Fetch-Site": "cross-site" };
    expect((await fetch(`${url}/members`, { method: "POST", headers: elsewhere })).status).toBe(403);
    expect((await fetch(`${url}/echo`, { method: "DELETE", headers: elsewhere })).status).toBe(403);
    expect((await fetch(`${url}/members`, { headers: elsewhere })).status).toBe(200);
  });

  test("never gets a path that reads as another one, nor headers of the connection", async () => {
    const paths = ["/echo/../members", "/echo/%2e%2e/members", "/echo/.%2E/x", "/echo/\\..\\members", "/echo/./x"];
    // The cloud's front normalizes the path before the service sees it, so the gate of the normalized path applies.
    const ownPaths = topology[0] === "on the cloud" ? [] : paths;
    for (const path of ownPaths) expect([path, await raw(`GET ${path} HTTP/1.1`)]).toEqual([path, 400]);
    expect(await raw("TRACE /echo HTTP/1.1")).toBe(405);
    const answer = await exchange(
      app.port,
      "GET /echo HTTP/1.1\r\nHost: localhost\r\nX-Hop: 1\r\nTE: trailers\r\nConnection: close, X-Hop\r\n\r\n",
    );
    const { headers } = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)) as Echo;
    expect(Object.keys(headers).filter((name) => /hop|^te$|connection/.test(name))).toEqual([]);
  });

  test("bounds a body as every other is", async () => {
    const send = async (path: string, bytes: number, headers: Record<string, string> = { Cookie: alice }) =>
      (await fetch(url + path, { method: "POST", headers, body: new Uint8Array(bytes) })).status;
    expect(await send("/echo", 1_000_000)).toBe(200);
    expect(await send("/echo", 1_100_000)).toBe(413);
    let remaining = 40;
    const chunked = new ReadableStream({
      pull: (controller) => (remaining-- > 0 ? controller.enqueue(new Uint8Array(65_536)) : controller.close()),
    });
    const init = { method: "POST", body: chunked, duplex: "half" } as RequestInit;
    const answer = await fetch(`${url}/echo`, init)
      .then(({ status }) => status)
      .catch(() => 413);
    expect(answer).toBe(413);
  });

  test("says no more of an answer than is its to say", async () => {
    const framed = await fetch(`${url}/odd/framing`);
    expect([await framed.text(), framed.headers.get("content-length"), framed.headers.get("keep-alive")]).toEqual([
      "12345",
      null,
      expect.not.stringContaining("9"),
    ]);
    const own = await fetch(`${url}/odd/own`);
    expect(own.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
    expect([own.headers.get("x-fw-result"), own.headers.get("x-content-type-options")]).toEqual([null, "nosniff"]);
    expect(own.headers.get("cache-control")).toBe("max-age=60");
    expect((await fetch(`${url}/odd/own`, { headers: { Cookie: alice } })).headers.get("cache-control")).toBe(
      "no-store",
    );
    expect((await fetch(`${url}/odd/cookies`)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    for (const path of ["session", "split", "nothing", "status"])
      expect([path, (await fetch(`${url}/odd/${path}`)).status]).toEqual([path, 500]);
    const cutAnswer = await fetch(`${url}/odd/cut`)
      .then(
        async ({ ok, body }) => (ok ? await new Response(body).text() : "refused"),
        () => "cut",
      )
      .catch(() => "cut");
    expect(["cut", "refused"]).toContain(cutAnswer);
  });
});
