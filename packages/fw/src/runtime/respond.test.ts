import { describe, expect, test } from "vitest";
import { Errorf, Fault, NotFound, StatusError } from "../declare/errors.ts";
import { apis, bundleOf, documentOf, pages, start } from "./testing/app.ts";
import { request } from "./testing/server.ts";
import { settings } from "./settings.ts";

const html = { Accept: "text/html,application/xhtml+xml" };

describe("API endpoint", () => {
  test("the result is JSON-encoded", async () => {
    await using app = await start(bundleOf(apis({ "GET /notes": () => ({ title: "ä", done: false }) })));
    const answer = await request(app.port, "/notes");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(JSON.parse(Buffer.from(answer.body, "latin1").toString())).toEqual({ title: "ä", done: false });
    expect(answer.headers.get("content-length")).toBe("27");
  });

  test("a generated encoder writes the result where there is one", async () => {
    const run = () => ({ n: 2n ** 60n });
    const encode = (value: unknown) => `{"n":${(value as { n: bigint }).n}}`;
    await using app = await start(bundleOf(apis({ "GET /": { run, encode } })));
    expect((await request(app.port, "/")).body).toBe('{"n":1152921504606846976}');
  });

  test("a handler that returns nothing answers 204", async () => {
    await using app = await start(bundleOf(apis({ "POST /": () => undefined, "PUT /": async () => undefined })));
    for (const method of ["POST", "PUT"]) {
      const answer = await request(app.port, "/", {}, method);
      expect([answer.status, answer.body, answer.headers.has("content-length")]).toEqual([204, "", false]);
    }
  });

  test("null is a JSON result", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => null })));
    expect(await request(app.port, "/")).toMatchObject({ status: 200, body: "null" });
  });

  test("HEAD is answered as GET without a body", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => ({ a: 1 }) })));
    const answer = await request(app.port, "/", {}, "HEAD");
    expect([answer.status, answer.headers.get("content-length"), answer.body]).toEqual([200, "7", ""]);
  });

  test("Errorf(status, message) gives that status with a JSON object body with one member error", async () => {
    const run = () => {
      throw Errorf(422, "total must be positive");
    };
    await using app = await start(bundleOf(apis({ "GET /": run })));
    expect(await request(app.port, "/")).toMatchObject({ status: 422, body: '{"error":"total must be positive"}' });
  });

  test("NotFound() is 404", async () => {
    const run = async () => {
      throw NotFound();
    };
    await using app = await start(bundleOf(apis({ "GET /": run })));
    expect(await request(app.port, "/", html)).toMatchObject({ status: 404, body: '{"error":"not found"}' });
  });

  test("any other error is an opaque 500, in the log under the request's id with its stack", async () => {
    const run = async () => {
      throw new TypeError("the password is hunter2");
    };
    await using app = await start(bundleOf(apis({ "GET /": run })));
    const answer = await request(app.port, "/");
    expect(answer).toMatchObject({ status: 500, body: '{"error":"internal error"}' });
    expect(app.logs).toMatchObject([{ level: "error", tags: { req: answer.headers.get("x-request-id") } }]);
    expect(app.logs[0]).toMatchObject({
      tags: { route: "GET /" },
      fields: { error: { message: "the password is hunter2" } },
    });
  });

  test.each([200, 399, 600, 1000, Number.NaN, 404.5])(
    "Errorf outside 400-599 is a programming fault: opaque 500 (%d)",
    async (status) => {
      const run = () => {
        throw new StatusError(status, "hidden");
      };
      const declared = () => {
        throw Errorf(status, "hidden");
      };
      await using app = await start(bundleOf(apis({ "GET /a": run, "GET /b": declared })));
      for (const path of ["/a", "/b"]) {
        expect(await request(app.port, path)).toMatchObject({ status: 500, body: '{"error":"internal error"}' });
      }
    },
  );

  test("a thrown value that is no error is an opaque 500 too", async () => {
    const run = () => {
      throw "just text";
    };
    await using app = await start(bundleOf(apis({ "GET /": run })));
    expect((await request(app.port, "/")).status).toBe(500);
    expect(app.logs).toHaveLength(1);
  });

  test("a result that JSON cannot hold is an opaque 500", async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    await using app = await start(
      bundleOf(apis({ "GET /a": () => circular, "GET /b": () => () => 1, "GET /c": async () => 1n })),
    );
    for (const path of ["/a", "/b", "/c"]) expect((await request(app.port, path)).status).toBe(500);
  });

  test("who watches is told of every opaque 500 and of nothing else", async () => {
    const faults: unknown[] = [];
    const boom = new Error("boom");
    const run = (error: Error) => () => {
      throw error;
    };
    const bundle = bundleOf(apis({ "GET /a": run(boom), "GET /b": run(NotFound()) }));
    await using app = await start(bundle, { onFault: (fault) => faults.push(fault) });
    const answer = await request(app.port, "/a");
    await request(app.port, "/b");
    expect(faults).toEqual([{ error: boom, requestId: answer.headers.get("x-request-id"), route: "GET /a" }]);
  });
});

describe("a path or method that no endpoint has", () => {
  const bundle = bundleOf(apis({ "GET /notes": () => 1, "POST /notes": () => 1, "PUT /notes/{id}": () => 1 }));

  test("an API client gets the JSON error", async () => {
    await using app = await start(bundle);
    const answer = await request(app.port, "/nowhere", { Accept: "*/*" });
    expect(answer).toMatchObject({ status: 404, body: '{"error":"not found"}' });
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  test("a browser gets plain text where no page is designed", async () => {
    await using app = await start(bundle);
    const answer = await request(app.port, "/nowhere", html);
    expect(answer).toMatchObject({ status: 404, body: "not found" });
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  test("a wrong method is 405 with Allow", async () => {
    await using app = await start(bundle);
    const answer = await request(app.port, "/notes", {}, "DELETE");
    expect(answer).toMatchObject({ status: 405, body: '{"error":"method not allowed"}' });
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
  });

  test("OPTIONS on a known path is 204 with Allow", async () => {
    await using app = await start(bundle);
    const answer = await request(app.port, "/notes/1", {}, "OPTIONS");
    expect([answer.status, answer.headers.get("allow"), answer.body]).toEqual([204, "OPTIONS, PUT", ""]);
  });

  test("OPTIONS on an unknown path is 404", async () => {
    await using app = await start(bundle);
    expect((await request(app.port, "/nowhere", {}, "OPTIONS")).status).toBe(404);
  });

  test("OPTIONS * names every method of the server", async () => {
    await using app = await start(bundle);
    const answer = await request(app.port, "*", {}, "OPTIONS");
    expect([answer.status, answer.headers.get("allow")]).toEqual([204, "GET, POST, PUT"]);
  });

  test("a path that is not valid percent-encoding is 400", async () => {
    await using app = await start(bundle);
    expect((await request(app.port, "/notes/%zz")).status).toBe(400);
  });
});

describe("gates", () => {
  test("a route with signIn answers 401 with `sign in to continue` when anonymous", async () => {
    const served: string[] = [];
    const run = () => void served.push("run");
    const bundle = bundleOf([
      ...apis({ "GET /api": { signIn: true, run }, "POST /api": { signIn: true, carries: "json", run } }),
      ...pages({ "GET /page": { signIn: true, run } }),
    ]);
    await using app = await start(bundle);
    const json = '{"error":"sign in to continue"}';
    expect(await request(app.port, "/api")).toMatchObject({ status: 401, body: json });
    expect(await request(app.port, "/api", { "Content-Length": "0" }, "POST")).toMatchObject({
      status: 401,
      body: json,
    });
    expect(await request(app.port, "/page")).toMatchObject({ status: 401, body: "sign in to continue" });
    expect(served).toEqual([]);
  });

  test("`.call` on a gated endpoint without an identity fails with the 401 of the wire table", async () => {
    const [secret] = apis({ "GET /secret": { signIn: true, run: () => "secret" } });
    const outer = apis({ "GET /outer": (ctx) => secret?.declaration.call(ctx, undefined as never) });
    await using app = await start(bundleOf([...(secret ? [secret] : []), ...outer]));
    expect(await request(app.port, "/outer")).toMatchObject({ status: 401, body: '{"error":"sign in to continue"}' });
  });

  test("`.call` reaches a private route and hands its result over", async () => {
    const [inner] = apis({ "GET /inner": { private: true, run: (_ctx, raw) => ({ got: raw }) } });
    const outer = apis({ "GET /outer": (ctx) => inner?.declaration.call(ctx, { id: 1 } as never) });
    await using app = await start(bundleOf([...(inner ? [inner] : []), ...outer]));
    expect((await request(app.port, "/outer")).body).toBe('{"got":{"id":1}}');
  });

  test("in dev a private route answers 403 to a browser or curl", async () => {
    await using app = await start(bundleOf(apis({ "GET /": { private: true, run: () => 1 } })));
    expect((await request(app.port, "/")).status).toBe(403);
  });

  test("deployed, the platform guards private routes, and whoever comes through is served", async () => {
    const bundle = bundleOf(apis({ "GET /": { private: true, run: () => 1 } }));
    await using app = await start(bundle, { settings: settings.built("guarded") });
    expect((await request(app.port, "/")).status).toBe(200);
  });

  test("deployed where nobody says that a platform guards private routes, nobody gets in", async () => {
    const bundle = bundleOf(apis({ "GET /": { private: true, run: () => "in" } }));
    await using app = await start(bundle, { settings: settings.built("refused") });
    expect((await request(app.port, "/")).status).toBe(403);
  });

  test("calling what is not part of the application is a programming fault", async () => {
    const [foreign] = apis({ "GET /foreign": () => 1 });
    const run = (ctx: Parameters<NonNullable<typeof foreign>["declaration"]["call"]>[0]) =>
      foreign?.declaration.call(ctx, undefined as never);
    await using app = await start(bundleOf(apis({ "GET /": run })));
    expect((await request(app.port, "/")).status).toBe(500);
    expect(app.logs[0]?.fields["error"]).toBeInstanceOf(Fault);
  });
});

describe("metrics", () => {
  test("every request is recorded under its declared pattern, an unmatched path as <unmatched>", async () => {
    const seen: [string, number][] = [];
    const metrics = {
      request: (route: string, status: number, ms: number) => void (ms >= 0 && seen.push([route, status])),
      define() {},
      add() {},
      observe() {},
      misfit() {},
    };
    const bundle = bundleOf([...apis({ "GET /notes/{id}": () => 1 }), ...pages({ "GET /": () => documentOf("hi") })]);
    await using app = await start(bundle, { metrics });
    for (const path of ["/notes/7", "/", "/nowhere"]) await request(app.port, path);
    expect(seen).toEqual([
      ["GET /notes/{id}", 200],
      ["GET /", 200],
      ["<unmatched>", 404],
    ]);
  });
});
