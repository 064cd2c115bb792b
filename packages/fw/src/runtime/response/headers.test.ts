import { expect, test } from "vitest";
import { Errorf } from "../../declare/errors.ts";
import { Redirect } from "../../declare/redirect.ts";
import { apis, bundleOf, documentOf, fragmentOf, pages, siteOf, start } from "../testing/app.ts";

/** The session of alice, found for every request with a session cookie. */
const identity = { id: "alice", email: "a@b.c", name: "", provider: "social", emailVerified: true, roles: [] } as const;
const sessions = { find: () => ({ identity, csrf: "A".repeat(43) }) };
const cookie = `fw_session=${"a".repeat(43)}`;
const blob = { type: "text/plain", size: 0, stream: () => new Blob([]).stream() };

const bundle = bundleOf(
  [
    ...apis({
      "GET /json": () => ({}),
      "GET /gated": { signIn: true, run: () => ({}) },
      "GET /nothing": () => undefined,
      "GET /shared": { maxAge: 60, run: () => ({}) },
      "GET /blob": () => blob,
      "GET /failing": () => {
        throw new Error("no");
      },
    }),
    ...pages({
      "GET /page": () => documentOf(""),
      "GET /cached": { maxAge: 60, run: () => documentOf("") },
      "GET /fragment": () => fragmentOf(""),
      "GET /away": () => Redirect("/json"),
    }),
  ],
  { site: siteOf({ redirects: { "/old": "/new" } }) },
);

test("no cache keeps an answer that depends on a session or a gate", async () => {
  await using app = await start(bundle, { sessions });
  const said = async (path: string, headers: Record<string, string>): Promise<[string, string | null]> => {
    const answer = await fetch(app.url + path, { headers, redirect: "manual" });
    return [path, answer.headers.get("cache-control")];
  };
  const paths = ["/json", "/nothing", "/gated", "/shared", "/blob", "/page", "/cached", "/failing"];
  expect(await Promise.all(paths.map((path) => said(path, { cookie })))).toEqual([
    ["/json", "no-store"],
    ["/nothing", "no-store"],
    ["/gated", "no-store"],
    // The response is the same for all users, so no one is signed in.
    ["/shared", null],
    ["/blob", "no-cache"],
    ["/page", "no-cache"],
    ["/cached", "public, max-age=60"],
    ["/failing", "no-cache"],
  ]);
  expect(await said("/json", {})).toEqual(["/json", null]);
});

test("no cache keeps the 401 or 403 of an API", async () => {
  const gated = bundleOf([
    ...apis({
      "GET /signed-in": { signIn: true, run: () => ({}) },
      "GET /refused": () => Promise.reject(Errorf(403, "no")),
    }),
  ]);
  await using app = await start(gated, { sessions: { find: () => undefined } });
  for (const path of ["/signed-in", "/refused"]) {
    const { status, headers } = await fetch(app.url + path, { headers: { accept: "text/html" }, redirect: "manual" });
    expect([path, status === 401 || status === 403, headers.get("cache-control")]).toEqual([path, true, "no-store"]);
  }
});

test("no cache keeps the answer to a request with an ended session, even if the service never looks it up", async () => {
  await using app = await start(bundle, { sessions: { find: () => undefined } });
  const answer = await fetch(`${app.url}/json`, { headers: { cookie } });
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

test("browsers read every answer but a fragment by its type", async () => {
  await using app = await start(bundle, { sessions });
  const routes = bundle.endpoints.map(({ route }) => route.slice("GET ".length));
  const sniffed: string[] = [];
  for (const path of [...routes, "/nowhere", "/old", "/_fw/nowhere", "/json?a=%zz"]) {
    for (const init of [{ headers: { cookie } }, { method: "OPTIONS" }, { method: "POST" }, { method: "HEAD" }]) {
      const { headers } = await fetch(app.url + path, { ...init, redirect: "manual" });
      if (headers.get("x-content-type-options") !== "nosniff") sniffed.push(path);
    }
  }
  expect([...new Set(sniffed)]).toEqual(["/fragment"]);
});
