import { describe, expect, test } from "vitest";
import { Errorf } from "../../declare/errors.ts";
import { apis, bundleOf, documentOf, pages, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { sendText } from "../response/send.ts";
import type { InjectedEndpoint } from "./injected-endpoint.ts";

const greedy = bundleOf([
  ...apis({
    "GET /{a}": () => "app",
    "GET /{a}/{b}": () => "app",
    "GET /{a}/{b}/{c}": () => "app",
    "GET /_fwish": () => "app",
  }),
  ...pages({ "POST /{a}/{b}": () => documentOf("app") }),
]);

const signed: InjectedEndpoint = {
  methods: ["GET", "PUT"],
  handle: (request, rest) => sendText(request, 200, "text/plain", [], `signed ${rest} ${request.query}`),
};
const failing: InjectedEndpoint = {
  methods: ["POST"],
  handle: async () => {
    throw Errorf(403, "no");
  },
};
const injected = { "api/signed/": signed, "api/push": failing, "z/secret": signed };

describe("the framework owns the path prefix `/_fw/`", () => {
  test("and answers it before the application's router", async () => {
    await using app = await start(greedy, { injected });
    const answer = await request(app.port, "/_fw/api/signed/tok/en?a=b");
    expect(answer.body).toBe("signed tok/en a=b");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each([
    "/_fw",
    "/_fw/",
    "/_fw/x",
    "/_fw/api/push/x",
    "/%5ffw/x",
    "/_%66%77/x",
    "/%5F%46w/x".replace("%46", "%66"),
  ])("no application route can shadow it: %s", async (path) => {
    await using app = await start(greedy, { injected });
    expect(await request(app.port, path)).toMatchObject({ status: 404, body: '{"error":"not found"}' });
  });

  test.each(["/_fwish", "/fw/x", "/__fw/x", "/%5f%zz/x"])(
    "what only looks like it is the application's: %s",
    async (path) => {
      await using app = await start(greedy, { injected });
      expect((await request(app.port, path)).status).not.toBe(404);
    },
  );

  test("`/_fw/z/...` is always reserved, and nothing is served there", async () => {
    await using app = await start(greedy, { injected });
    for (const path of ["/_fw/z", "/_fw/z/", "/_fw/z/secret"]) expect((await request(app.port, path)).status).toBe(404);
  });

  test("a wrong method is 405 with Allow", async () => {
    await using app = await start(greedy, { injected });
    const answer = await request(app.port, "/_fw/api/signed/x", {}, "POST");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, OPTIONS, PUT"]);
  });

  test("OPTIONS is 204 with Allow", async () => {
    await using app = await start(greedy, { injected });
    const answer = await request(app.port, "/_fw/api/push", {}, "OPTIONS");
    expect([answer.status, answer.headers.get("allow")]).toEqual([204, "OPTIONS, POST"]);
  });

  test("a Host header that names another server is refused, there and by the application's routes and files", async () => {
    await using app = await start(greedy, { injected, isOwnHost: (host) => host === "localhost" });
    const answers = await Promise.all(
      ["/_fw/api/signed/x", "/_fw/nothing", "/%5ffw/x", "/a", "/nothing.txt"].map((path) =>
        request(app.port, path, { Host: "evil.example" }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    for (const path of ["/_fw/api/signed/x", "/a"])
      expect((await request(app.port, path, { Host: "localhost" })).status).toBe(200);
  });

  test("a refusal is a JSON error", async () => {
    await using app = await start(greedy, { injected });
    expect(await request(app.port, "/_fw/api/push", {}, "POST")).toMatchObject({ status: 403, body: '{"error":"no"}' });
  });
});
