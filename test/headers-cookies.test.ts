import { describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { startDev } from "./support/dev-app.ts";

// A post office: what comes in by a signed hook is asked of another package, which binds headers, too.
const office = `
-- counter/counter.ts --
import { API, blob, type Cookie, type Header, type Int } from "fw";
import { stamp } from "../stamps/stamps.ts";
export interface Push { signature: Header<string, "X-Signature">; tries?: Header<Int, "X-Tries">; langs?: Header<string[], "Accept-Language">; theme?: Cookie<"light" | "dark">; text: string }
export const push = API("POST /push", (_ctx, req: Push) => req);
export const plain = API("GET /plain", (_ctx, req: { region?: Header<string, "X-Region"> }) => blob(req.region ?? "-", { type: "text/plain" }), { maxAge: "1m" });
export const relay = API("GET /relay", (ctx, req: { mark?: Header<string, "X-Mark"> }) => stamp.call(ctx, { mark: req.mark + ", ü漢\\r\\n", kinds: ["a,b", "c"], theme: "x;y" }));
-- stamps/stamps.ts --
import { API, type Cookie, type Header } from "fw";
export interface Stamp { mark: Header<string, "X-Mark">; kinds: Header<string[], "X-Kinds">; theme: Cookie; auth?: Header<string, "Authorization"> }
export const stamp = API("GET /stamp", (_ctx, req: Stamp) => req);
`;

describe.each([
  ["on one port of fw dev", []],
  ["with every service in a process of its own", ["--services"]],
])("%s", (_, args) => {
  test(
    "headers and cookies reach their handlers decoded, and go along with calls exactly",
    { timeout: 60_000 },
    async () => {
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
        [400, "cookie theme: is given several times, with different values"],
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
    },
  );
});
