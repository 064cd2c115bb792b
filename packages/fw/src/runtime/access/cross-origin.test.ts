import { describe, expect, test } from "vitest";
import { apis, bundleOf, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { TestSessions } from "../testing/sessions.ts";

const refusal = '{"error":"this request is not allowed from another site"}';
const unsafe = ["POST", "PUT", "PATCH", "DELETE"];

async function app() {
  const served: string[] = [];
  const sessions = new TestSessions();
  const methods = ["GET", ...unsafe].map((method) => [`${method} /`, () => void served.push(method)] as const);
  const server = await start(bundleOf(apis(Object.fromEntries(methods))), { sessions });
  return { ...server, sessions, served };
}

/** Headers that mark a request to the server at `x` as coming from another origin. */
const foreign: Record<string, Record<string, string>> = {
  "Sec-Fetch-Site: cross-site": { "Sec-Fetch-Site": "cross-site" },
  "Sec-Fetch-Site: same-site, a sibling host": { "Sec-Fetch-Site": "same-site" },
  "a Sec-Fetch-Site that no browser sends": { "Sec-Fetch-Site": "same-origin, cross-site" },
  "Sec-Fetch-Site, whatever Origin says": { "Sec-Fetch-Site": "cross-site", Origin: "http://x" },
  "another Origin": { Origin: "https://evil.example" },
  "an Origin with another port": { Origin: "http://x:8081" },
  "an Origin that begins alike": { Origin: "http://x.evil.example" },
  "Origin: null, without Sec-Fetch-Site": { Origin: "null" },
};

const own: Record<string, Record<string, string>> = {
  "Sec-Fetch-Site: same-origin": { "Sec-Fetch-Site": "same-origin" },
  "Sec-Fetch-Site: none, typed by hand": { "Sec-Fetch-Site": "none" },
  "Origin: null, where Sec-Fetch-Site says same-origin": { "Sec-Fetch-Site": "same-origin", Origin: "null" },
  "its own Origin": { Origin: "http://x" },
  "neither, as programs do": {},
};

describe("an unsafe API request that carries a session and comes from another site is refused before the handler", () => {
  test.each(Object.entries(foreign))("%s", async (_what, headers) => {
    await using server = await app();
    const Cookie = server.sessions.signIn();
    for (const method of unsafe) {
      expect(await request(server.port, "/", { Cookie, ...headers }, method)).toMatchObject({
        status: 403,
        body: refusal,
      });
    }
    expect(server.served).toEqual([]);
  });

  test("also when the session has ended", async () => {
    await using server = await app();
    const Cookie = server.sessions.signIn();
    server.sessions.signOut(Cookie);
    expect((await request(server.port, "/", { Cookie, "Sec-Fetch-Site": "cross-site" }, "POST")).status).toBe(403);
  });
});

describe("an API request with a session is served", () => {
  test.each(Object.entries(own))("from this site: %s", async (_what, headers) => {
    await using server = await app();
    const Cookie = server.sessions.signIn();
    for (const method of unsafe) await request(server.port, "/", { Cookie, ...headers }, method);
    expect(server.served).toEqual(unsafe);
  });

  test.each(Object.entries(foreign))("from another one where it only reads: %s", async (_what, headers) => {
    await using server = await app();
    expect((await request(server.port, "/", { Cookie: server.sessions.signIn(), ...headers })).status).toBe(204);
  });
});

test.each(Object.entries(foreign))("without a session, another site may call an API: %s", async (_what, headers) => {
  await using server = await app();
  expect((await request(server.port, "/", headers, "POST")).status).toBe(204);
});
