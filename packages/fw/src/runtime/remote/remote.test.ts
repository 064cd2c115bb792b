import { describe, expect, test } from "vitest";
import { blob, type Blob } from "../../declare/blob.ts";
import type { Context } from "../../declare/context.ts";
import { Deny, emailTaken, Errorf, isDenied, isEmailTaken, isNotFound, NotFound } from "../../declare/errors.ts";
import { isHTML } from "../../declare/html.ts";
import { Policy } from "../../declare/policy.ts";
import { isRedirection, Redirect, RedirectPermanent } from "../../declare/redirect.ts";
import { StatusPage } from "../../declare/status.ts";
import { remoteBytes } from "../../lib/limits.ts";
import { exactText } from "../../lib/exact-text.ts";
import type { BundledEndpoint, BundledRemote } from "../bundle.ts";
import { cookieText, headerList, headerText } from "../decode/header-cookie.ts";
import type { RawRequest } from "../decode/raw-request.ts";
import { responder } from "../respond.ts";
import { wireFields } from "./request-text.ts";
import { apis, documentOf, fragmentOf, pages, siteOf, type TestEndpoint } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { remote, TestServices, type SentRequest } from "../testing/services.ts";
import { TestSessions } from "../testing/sessions.ts";

/** Calls the endpoint of another service. */
async function callOf(
  endpoints: readonly BundledEndpoint[],
  more: Partial<BundledRemote> = {},
  sent: SentRequest = {},
): Promise<unknown> {
  const services = new TestServices();
  await services.start("orders", { endpoints });
  return (await services.caller(endpoints, more)).call(sent);
}

/** Returns the error of calling an endpoint that throws `error`. */
async function failureOf(error: unknown, kind: "api" | "page" = "api"): Promise<Error> {
  const run = (): never => {
    throw error;
  };
  const endpoints = kind === "api" ? apis({ "GET /x": run }) : pages({ "GET /x": run });
  return callOf(endpoints).then(
    () => expect.unreachable(),
    (failure: Error) => failure,
  );
}

describe("the result of a call between services", () => {
  test("JSON is decoded", async () => {
    const decode = (value: unknown): unknown => ({ ...(value as object), at: new Date((value as { at: string }).at) });
    const result = await callOf(apis({ "GET /x": () => ({ id: "1", at: new Date(0) }) }), { decode });
    expect(result).toEqual({ id: "1", at: new Date(0) });
  });

  test("integers beyond 2^53 are exact", async () => {
    const run = (): unknown => ({ total: 2n ** 62n });
    const endpoints = apis({ "GET /x": { run, encode: (value) => exactText(value) ?? "" } });
    expect(await callOf(endpoints, { exactIntegers: true })).toEqual({ total: 2n ** 62n });
  });

  test("nothing is undefined", async () => {
    expect(await callOf(apis({ "DELETE /x": () => undefined }))).toBe(undefined);
  });

  test("null is null", async () => {
    expect(await callOf(apis({ "GET /x": () => null }))).toBe(null);
  });

  test("a Blob has its type, size and etag, also one that is JSON", async () => {
    const run = (): Blob => blob('{"a":1}', { type: "application/json", etag: "v1" });
    const result = (await callOf(apis({ "GET /x": run }))) as Blob;
    expect({ ...result, stream: undefined }).toEqual({ type: "application/json", size: 7, etag: "v1" });
    expect(await new Response(result.stream()).text()).toBe('{"a":1}');
    expect(() => result.stream()).toThrow("can be read only once");
  });

  test.each([
    ["a document", true, documentOf],
    ["a fragment", false, fragmentOf],
  ] as const)("%s is HTML, without what the dev loop adds", async (_, document, html) => {
    const services = new TestServices();
    const endpoints = pages({ "GET /x": () => html("<p>grüße</p>") });
    await services.start("orders", { endpoints, decorate: (text) => `${text}<bar>` });
    const result = await (await services.caller(endpoints)).call();
    expect(isHTML(result) && { text: result.text, document: result.document }).toEqual({
      text: "<p>grüße</p>",
      document,
    });
  });

  test.each([
    ["303", Redirect("/orders/7"), false],
    ["301", RedirectPermanent("/orders/7"), true],
  ] as const)("a %s is a Redirection", async (_, redirection, permanent) => {
    const result = await callOf(pages({ "POST /x": () => redirection }));
    expect(isRedirection(result) && { ...result }).toMatchObject({ target: "/orders/7", permanent });
  });

  test("a request goes with its path, its query and its JSON body", async () => {
    const run = (_: Context, raw: RawRequest): unknown => raw;
    const endpoints = apis({ "POST /orders/{id}": { run, carries: "json" } });
    const sent = { path: "/orders/a%20b?all=true", json: '{"total":3}' };
    expect(await callOf(endpoints, {}, sent)).toEqual({ params: ["a b"], query: "all=true", body: { total: 3 } });
  });

  test("a request goes with the headers and cookies that it binds, and with none of the call's own", async () => {
    const run = (_: Context, { fields }: RawRequest): unknown => [
      headerText(fields, "X-Page", "header X-Page"),
      headerList(fields, "X-List"),
      cookieText(fields, "theme", "cookie theme"),
      headerText(fields, "Authorization", "header Authorization"),
    ];
    const endpoints = apis({ "GET /x": { run, varies: "X-Page" } });
    const fields = wireFields({
      header: [
        ["X-Page", "a, ü\r\n漢"],
        ["X-List", ["a,b", ""]],
      ],
      cookie: [["theme", "dark;"]],
    });
    expect(await callOf(endpoints, {}, { path: "/x", fields })).toEqual(["a, ü\r\n漢", ["a,b", ""], "dark;", null]);
    expect(await callOf(endpoints, {}, { path: "/x" })).toEqual([null, null, null, null]);
  });

  test("a parameter of the path that is empty is a 400 that names it, since no path says it", async () => {
    const endpoints = apis({ "GET /shelves/{shelf}/books/{book}": () => "asked" });
    for (const [path, param] of [
      ["/shelves//books/1", "shelf"],
      ["/shelves/a/books/?late=true", "book"],
      ["/shelves//books/", "shelf"],
    ] as const) {
      const refused = { status: 400, message: `path ${param}: is required` };
      await expect(callOf(endpoints, {}, { path })).rejects.toMatchObject(refused);
    }
  });

  test("a form goes with its fields and files, whatever they are named", async () => {
    const run = async (_: Context, { form }: RawRequest): Promise<unknown> => ({
      values: [...form!.values],
      file: { ...form!.files.get("file")?.[0] },
      text: await new Response(form!.files.get("file")?.[0]?.stream()).text(),
    });
    const name = 'a"b\r\nc';
    const file = { ...blob("grüße", { type: "text/plain" }), name };
    const form = [
      [name, "x\r\ny"],
      [name, ""],
      ["file", file],
    ] as const;
    const result = await callOf(apis({ "POST /x": { run, carries: "multipart" } }), {}, { form });
    expect(result).toMatchObject({
      values: [[name, ["x\r\ny", ""]]],
      file: { type: "text/plain", size: 7, name: 'a"bc' },
      text: "grüße",
    });
  });

  test("a file of the site that has the path of the endpoint does not stand in its way", async () => {
    const services = new TestServices();
    const endpoints = apis({ "GET /files/{name}": (_, { params }) => params });
    const files = [{ lookup: () => ({ kind: "asset" }) }] as never;
    const orders = await services.start("orders", { endpoints });
    orders.swap(responder({ ...orders.app, files }));
    expect(await (await services.caller(endpoints)).call({ path: "/files/a.txt" })).toEqual(["a.txt"]);
  });

  test("an answer beyond 32 MiB is a fault", async () => {
    const failure = callOf(apis({ "GET /x": () => "x".repeat(remoteBytes - 1) }));
    await expect(failure).rejects.toThrow("the response of another service is larger than 33554432 bytes");
    expect(await callOf(apis({ "GET /x": () => "x".repeat(remoteBytes - 2) }))).toHaveLength(remoteBytes - 2);
  });

  test("an answer that is not what the endpoint declares is a fault, whose sentence no visitor sees", async () => {
    const decode = (): never => {
      throw Errorf(400, "body total: is required");
    };
    const failure = callOf(apis({ "GET /x": () => ({}) }), { decode });
    await expect(failure).rejects.toThrow(
      "GET /x of the service orders returned a response that does not match its type",
    );
    await expect(failure).rejects.not.toHaveProperty("status");
  });
});

describe("an error keeps its kind from service to service", () => {
  test.each([422, 409, 503])("Errorf(%i) is that status with its sentence", async (status) => {
    expect(await failureOf(Errorf(status, "grüße — no"))).toMatchObject({ status, message: "grüße — no" });
  });

  test("NotFound is isNotFound, of a page too", async () => {
    expect(isNotFound(await failureOf(NotFound()))).toBe(true);
    expect(isNotFound(await failureOf(NotFound(), "page"))).toBe(true);
  });

  test("an account that exists is isEmailTaken", async () => {
    const failure = await failureOf(emailTaken("taken"));
    expect(isEmailTaken(failure)).toBe(true);
    expect(isDenied(failure)).toBe(false);
    expect(failure).toMatchObject({ status: 409, message: "taken" });
  });

  test("a 403 that no policy made is not isDenied", async () => {
    const failure = await failureOf(Errorf(403, "not you"));
    expect(isDenied(failure)).toBe(false);
    expect(failure).toMatchObject({ status: 403, message: "not you" });
  });

  test("what a handler throws besides is an opaque 500 here too, and the log names the service, the route and its request", async () => {
    const services = new TestServices();
    const [load] = apis({
      "GET /orders/{id}": () => {
        throw new Error("password=hunter2");
      },
    }) as [BundledEndpoint];
    const orders = await services.start("orders", { endpoints: [load] });
    const web = await services.start("web", {
      endpoints: apis({ "GET /": (ctx) => load.declaration.call(ctx, { path: "/orders/1" } as never) }),
      remotes: [remote("orders", load)],
    });
    const answer = await request(web.port, "/");
    expect([answer.status, answer.body]).toEqual([500, '{"error":"internal error"}']);
    const faults = web.logs[0]?.fields["error"] as Error;
    expect(faults.message).toBe(
      `GET /orders/{id} of the service orders failed: its log has the cause, req=${orders.logs[0]?.tags["req"]}`,
    );
    expect(web.logs[0]?.tags["trace"]).toMatch(/^[\da-f]{32}$/);
    expect(orders.logs[0]?.tags["trace"]).toBe(web.logs[0]?.tags["trace"]);
  });

  test("an answer that the service did not give itself is an opaque 500", async () => {
    const services = new TestServices();
    const missing = apis({ "GET /gone": () => 1 });
    await services.start("orders", { endpoints: [] });
    const failure = (await services.caller(missing)).call();
    await expect(failure).rejects.toThrow("GET /gone of the service orders got 404 from a proxy or another build");
    await expect(failure).rejects.not.toHaveProperty("status");
  });

  test("a service that is not there is an opaque 500, after two more attempts", async () => {
    const services = new TestServices();
    services.addresses.set("orders", "http://127.0.0.1:1");
    const failure = (await services.caller(apis({ "GET /x": () => 1 }))).call();
    await expect(failure).rejects.toThrow("GET /x of the service orders did not respond");
    await expect(failure).rejects.not.toHaveProperty("status");
  });

  test("a refusal of a policy is isDenied with its sentence, and a status page hears which policy it was", async () => {
    const sessions = new TestSessions();
    const services = new TestServices();
    const allow = { declaration: Policy(() => Deny("owners only")), name: "OwnersOnly" };
    const [load] = apis({ "GET /x": { signIn: true, allow } }) as [BundledEndpoint];
    await services.start("orders", { endpoints: [load], sessions });
    const faults: unknown[] = [];
    const show = async (ctx: Context): Promise<unknown> => {
      const failure: unknown = await load.declaration.call(ctx, {} as never).catch((error: unknown) => error);
      faults.push(isDenied(failure));
      throw failure;
    };
    const site = siteOf({});
    const status = StatusPage((_ctx, given) => {
      faults.push(given);
      return fragmentOf("refused");
    });
    const endpoints = pages({ "GET /": show });
    const packages = [{ name: "web", service: "web", site, status }];
    const remotes = [remote("orders", load)];
    const web = await services.start("web", {
      endpoints,
      remotes,
      sessions,
      bundle: { packages },
    });
    const answer = await request(web.port, "/", { Cookie: sessions.signIn() });
    expect([answer.status, answer.body]).toEqual([403, "refused"]);
    expect(faults).toEqual([true, { code: 403, policy: "OwnersOnly", message: "owners only" }]);
  });

  test("a visitor's refusal is what the service says", async () => {
    const services = new TestServices();
    const run: TestEndpoint["run"] = () => {
      throw Errorf(422, "total must be positive");
    };
    const [place] = apis({ "POST /x": { run } }) as [BundledEndpoint];
    await services.start("orders", { endpoints: [place] });
    const endpoints = apis({ "GET /": (ctx) => place.declaration.call(ctx, {} as never) });
    const web = await services.start("web", { endpoints, remotes: [remote("orders", place)] });
    const answer = await request(web.port, "/");
    expect([answer.status, answer.body]).toEqual([422, '{"error":"total must be positive"}']);
    expect(answer.headers.has("x-fw-error")).toBe(false);
  });
});
