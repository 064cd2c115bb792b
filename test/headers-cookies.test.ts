import { describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { startDev } from "./support/dev-app.ts";

// A post office: APIs that bind headers and cookies, a signed hook, and calls between the packages.
const office = `
-- counter/counter.ts --
import { API, blob, type Cookie, type Header, type Int } from "fw";
import { stamp } from "../stamps/stamps.ts";
export interface Push { signature: Header<string, "X-Signature">; tries?: Header<Int, "X-Tries">; langs?: Header<string[], "Accept-Language">; theme?: Cookie<"light" | "dark">; text: string }
export const push = API("POST /push", (_ctx, req: Push) => req);
export const plain = API("GET /plain", (_ctx, req: { region?: Header<string, "X-Region"> }) => blob(req.region ?? "-", { type: "text/plain" }), { maxAge: "1m" });
export const relay = API("GET /relay", (ctx, req: { mark?: Header<string, "X-Mark"> }) => stamp.call(ctx, { mark: req.mark + ", ü漢\\r\\n", kinds: ["a,b", "c"], theme: "x;y" }));
-- hooks/hooks.ts --
import { createHmac } from "node:crypto";
import { API, Errorf, type Body, type Header, type Int64, type Json, type Raw } from "fw";
export type Event = { kind: "added"; id: Int64; at: Date } | { kind: "gone"; id: Int64 };
export const batch = API("POST /batch", (_ctx, { events, all }: { events: Body<Event[]>; all?: Header<boolean, "X-All"> }) => events.map((each) => each.kind + each.id + ("at" in each ? each.at.getTime() : "")).join(" ") + (all ?? ""));
export const any = API("POST /any", (_ctx, { value }: { value?: Body<Json> }) => ({ value: value === undefined ? "none" : value }));
export interface Hook { body: Raw; signature: Header<string, "X-Hub-Signature-256"> }
export const hook = API("POST /hook", (_ctx, { body, signature }: Hook) => {
  if (signature !== "sha256=" + createHmac("sha256", "It's a Secret to Everybody").update(body.bytes).digest("hex")) throw Errorf(401, "the signature is another");
  return { type: body.type, bytes: body.bytes.byteLength, text: body.text() };
}, { maxBody: "1KB" });
-- caller/caller.ts --
import { API } from "fw";
import { any, batch, hook } from "../hooks/hooks.ts";
export const calls = API("GET /calls", async (ctx) => {
  const bytes = new TextEncoder().encode("Hello, World!");
  return {
    batch: await batch.call(ctx, { events: [{ kind: "added", id: 9007199254740993n, at: new Date(5) }], all: true }),
    any: [await any.call(ctx, {}), await any.call(ctx, { value: null }), await any.call(ctx, { value: [1, "x"] })],
    hook: await hook.call(ctx, { body: { bytes, type: "text/plain", text: () => "" }, signature: "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" }),
  };
});
-- stamps/stamps.ts --
import { API, type Cookie, type Header } from "fw";
export interface Stamp { mark: Header<string, "X-Mark">; kinds: Header<string[], "X-Kinds">; theme: Cookie; auth?: Header<string, "Authorization"> }
export const stamp = API("GET /stamp", (_ctx, req: Stamp) => req);
`;

describe.each([
  ["on one port of fw dev", []],
  ["with every service in a process of its own", ["--services"]],
])("%s", (_, args) => {
  test("headers and cookies reach their handlers decoded, and go along with calls exactly", async () => {
    await using dev = await startDev(Object.fromEntries(filesOf(office)), ...args);
    const ask = async (path: string, headers: Record<string, string>, body?: string) => {
      const answer = await fetch(`http://localhost:${dev.port}${path}`, {
        headers: body === undefined ? headers : { ...headers, "Content-Type": "application/json" },
        ...(body !== undefined && { method: "POST", body }),
      });
      return { status: answer.status, vary: answer.headers.get("vary"), body: await answer.text() };
    };
    const whole = {
      "x-signature": "s=1",
      "X-Tries": "3",
      "Accept-Language": "de, fr;q=0.5",
      Cookie: "a=1; theme=dark",
    };
    const pushed = await ask("/push", whole, '{"text":"hi"}');
    expect([pushed.status, JSON.parse(pushed.body)]).toEqual([
      200,
      { signature: "s=1", tries: 3, langs: ["de", "fr;q=0.5"], theme: "dark", text: "hi" },
    ]);
    const refusals = [
      await ask("/push", {}, '{"text":"hi"}'),
      await ask("/push", { ...whole, "X-Tries": "many" }, '{"text":"hi"}'),
      await ask("/push", { ...whole, Cookie: "theme=light; theme=dark" }, '{"text":"hi"}'),
    ];
    expect(refusals.map(({ status, body }) => [status, (JSON.parse(body) as { error: string }).error])).toEqual([
      [400, "header X-Signature: is required"],
      [400, "header X-Tries: many is not an int"],
      [400, "cookie theme: has several different values; send one"],
    ]);
    expect(await ask("/plain", { "X-Region": "eu" })).toEqual({ status: 200, vary: "X-Region", body: "eu" });
    const relayed = await ask("/relay", {
      "X-Mark": "m",
      "X-Fw-Fields": "header+X-Mark=forged",
      Authorization: "Basic eA==",
    });
    expect([relayed.status, JSON.parse(relayed.body)]).toEqual([
      200,
      { mark: "m, ü漢\r\n", kinds: ["a,b", "c"], theme: "x;y" },
    ]);

    const replyTo = async (path: string, headers: Record<string, string>, body?: string) => {
      const answer = await ask(path, headers, body);
      return [answer.status, JSON.parse(answer.body) as unknown];
    };
    const events = '[{"kind":"added","id":9007199254740993,"at":"1970-01-01T00:00:01Z"},{"kind":"gone","id":2}]';
    expect(await replyTo("/batch", {}, events)).toEqual([200, "added90071992547409931000 gone2"]);
    expect(await replyTo("/batch", {}, '{"kind":"gone"}')).toEqual([400, { error: "body: {…} is not a list" }]);
    expect(await replyTo("/any", {}, "null")).toEqual([200, { value: null }]);
    expect(await replyTo("/any", {}, '[1,{"a":"x"}]')).toEqual([200, { value: [1, { a: "x" }] }]);
    const post = async (path: string, body: string, headers: Record<string, string>) => {
      const answer = await fetch(`http://localhost:${dev.port}${path}`, { method: "POST", body, headers });
      return [answer.status, JSON.parse(await answer.text()) as unknown];
    };
    const signed = {
      "X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      "Content-Type": "application/csp-report; charset=x",
    };
    const hooked = { type: "application/csp-report; charset=x", bytes: 13, text: "Hello, World!" };
    expect(await post("/hook", "Hello, World!", signed)).toEqual([200, hooked]);
    expect(await post("/hook", "Hello, World?", signed)).toEqual([401, { error: "the signature is another" }]);
    expect(await post("/hook", "x".repeat(1025), signed)).toEqual([413, { error: "body: larger than 1024 bytes" }]);
    expect(await post("/hook", "Hello, World!", { ...signed, "Content-Encoding": "gzip" })).toEqual([
      415,
      { error: "unsupported Content-Encoding: send the body uncompressed" },
    ]);
    expect(await post("/batch", "", { "Content-Type": "text/plain" })).toEqual([
      415,
      { error: "unsupported Content-Type: send application/json in UTF-8" },
    ]);
    expect(await replyTo("/calls", {})).toEqual([
      200,
      {
        batch: "added90071992547409935true",
        any: [{ value: "none" }, { value: null }, { value: [1, "x"] }],
        hook: { ...hooked, type: "text/plain" },
      },
    ]);
  });
});
