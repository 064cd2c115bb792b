import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Deny, Errorf } from "../../declare/errors.ts";
import { Policy } from "../../declare/policy.ts";
import { flash } from "../../declare/site.ts";
import { Redirect } from "../../declare/redirect.ts";
import { reply } from "../../declare/reply.ts";
import { type Blob, blob } from "../../declare/blob.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import type { RawRequest } from "../decode/raw-request.ts";
import { bundleOf, documentOf, pages, siteOf, start, type TestApp } from "../testing/app.ts";
import { TestSessions } from "../testing/sessions.ts";
import { submitKinds } from "./kinds.ts";

const site = siteOf({ templates: { "token.html": (_data, page) => page.csrfToken() } });
const text = (raw: RawRequest, name: string): string => raw.form?.values.get(name)?.[0] ?? "";

const textOf = (file: Blob | undefined): Promise<string> => new Response(file?.stream()).text();

/** The names of the handlers that ran, in order. */
const runs: string[] = [];
/** Emits `began` when the slow handler runs. The test emits `end` to let it finish. */
const slow = new EventEmitter();

/** Whether the policy of the members' form admits users. */
let isMember = true;
const Members = Policy(() => (isMember ? undefined : Deny("members only")));

const bundle = {
  ...bundleOf(
    pages({
      "POST /members": {
        signIn: true,
        allow: { declaration: Members, name: "Members" },
        carries: "form",
        once: true,
        run: () => (runs.push("member"), documentOf("a secret of members")),
      },
      "GET /token": (ctx) => site.declaration.fragment(ctx, "token.html"),
      "POST /order": {
        carries: "form",
        once: true,
        run: async (ctx, raw) => {
          runs.push(text(raw, "item"));
          if (text(raw, "slow") !== "") {
            const end = once(slow, "end");
            slow.emit("began");
            await end;
            ctx.signal.throwIfAborted();
          }
          if (text(raw, "fail") !== "") throw new Error("the payment failed");
          flash(ctx, `ordered ${runs.length}`);
          return Redirect(`/orders/${runs.length}`);
        },
      },
      "POST /upload": {
        carries: "multipart",
        once: true,
        run: async (_ctx, raw) => {
          runs.push(await textOf(raw.form?.files.get("file")?.[0]));
          return reply(documentOf(`<p>${runs.length}</p>`), { status: 201, cookies: { seen: "yes" } });
        },
      },
      "POST /full": {
        carries: "form",
        once: true,
        run: () => (runs.push("full"), reply(documentOf("full"), { status: 409 })),
      },
      "POST /closed": { carries: "form", once: true, run: () => (runs.push("closed"), Errorf(410, "closed")) },
      "POST /file": { carries: "form", once: true, run: () => (runs.push("file"), blob("a", { type: "text/plain" })) },
      "POST /large": {
        carries: "form",
        once: true,
        run: () => (runs.push("large"), documentOf("a".repeat(256 * 1024))),
      },
      "POST /often": { carries: "form", run: () => Redirect(`/${runs.push("often")}`) },
    }),
    { site },
  ),
  keepsData: true as const,
  submits: true as const,
};

const directory = mkdtempSync(join(tmpdir(), "fw-submit-"));
const clock = new SteppedClock(Date.now());
let platform: LocalPlatform;
let apps: readonly [TestApp, TestApp];
beforeAll(async () => {
  platform = await openLocal(directory, { kinds: submitKinds }, { temporary: true, clock });
  // Two processes of a service share nothing but the platform.
  apps = [await start(bundle, { platform }), await start(bundle, { platform })];
});
afterAll(async () => {
  for (const app of apps) await app.close();
  await platform.close();
  rmSync(directory, { recursive: true });
});

interface OpenedForm {
  readonly cookie: string;
  readonly token: string;
}

async function open(): Promise<OpenedForm> {
  const answer = await fetch(`${apps[0].url}/token`);
  return { cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "", token: await answer.text() };
}

function post(
  { cookie, token }: OpenedForm,
  path: string,
  fields: Record<string, string | File>,
  app = apps[0],
  init: RequestInit = {},
): Promise<Response> {
  const body = path === "/upload" ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries({ _csrf: token, ...fields })) body.append(name, value);
  return fetch(`${app.url}${path}`, { method: "POST", redirect: "manual", headers: { Cookie: cookie }, body, ...init });
}

async function partsOf(answer: Response): Promise<unknown[]> {
  return [answer.status, answer.headers.get("location"), answer.headers.getSetCookie(), await answer.text()];
}

test("submits of one form at once and later run the handler once, in every process, and get its answer", async () => {
  const form = await open();
  const before = runs.length;
  const at = Array.from({ length: 24 }, (_, i) => post(form, "/order", { item: "book" }, apps[i % 2]));
  const answers = await Promise.all((await Promise.all(at)).map(partsOf));
  answers.push(await partsOf(await post(form, "/order", { item: "book" }, apps[1])));
  expect(runs.slice(before)).toEqual(["book"]);
  expect(answers[0]).toMatchObject([303, `/orders/${runs.length}`, [expect.stringContaining("fw_flash=")], ""]);
  expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1);
});

test("another content, another form and a page without once run the handler", async () => {
  const [form, other, before] = [await open(), await open(), runs.length];
  await post(form, "/order", { item: "pen" });
  await post(form, "/order", { item: "ink" });
  await post(other, "/order", { item: "pen" });
  await post(form, "/order?coupon=x", { item: "pen" });
  await post(form, "/often", {});
  await post(form, "/often", {});
  expect(runs.slice(before)).toEqual(["pen", "ink", "pen", "pen", "often", "often"]);
});

test("another answer to hx-prompt is another submit", async () => {
  const [form, before] = [await open(), runs.length];
  for (const prompt of ["late", "late", "double"])
    await post(form, "/order", { item: "mug" }, apps[0], { headers: { Cookie: form.cookie, "HX-Prompt": prompt } });
  expect(runs.slice(before)).toEqual(["mug", "mug"]);
});

test("files are part of the content, and a page with its status and cookies is repeated", async () => {
  const [form, before] = [await open(), runs.length];
  const send = (content: string): Promise<Response> =>
    post(form, "/upload", { file: new File([content], "a.txt", { type: "text/plain" }) });
  const [first, second, third] = [
    await partsOf(await send("one")),
    await partsOf(await send("one")),
    await partsOf(await send("two")),
  ];
  expect(runs.slice(before)).toEqual(["one", "two"]);
  expect(first).toMatchObject([201, null, [expect.stringContaining("seen=yes")], `<p>${before + 1}</p>`]);
  expect(second).toEqual(first);
  expect(third[3]).toBe(`<p>${before + 2}</p>`);
});

test("failures and refusals are not repeated: the next submit runs the handler", async () => {
  const [form, before] = [await open(), runs.length];
  for (const path of ["/order", "/order", "/full", "/full", "/closed", "/closed"])
    await post(form, path, { item: "book", fail: "yes" });
  expect(runs.slice(before)).toEqual(["book", "book", "full", "full", "closed", "closed"]);
});

test("a submit whose answer could not be stored does not run the handler again", async () => {
  const [form, before] = [await open(), runs.length];
  const storing = vi.spyOn(platform.entities, "upsert").mockRejectedValueOnce(new Error("the store is away"));
  expect((await post(form, "/order", { item: "jam" })).status).toBe(500);
  expect(storing).toHaveBeenCalledOnce();
  storing.mockRestore();
  await clock.advance(10 * 60_000);
  expect((await post(form, "/order", { item: "jam" })).status).toBe(409);
  expect(runs.slice(before)).toEqual(["jam"]);
});

test("a handler runs to its end when its browser drops the connection, and the second submit gets its answer", async () => {
  const [form, before] = [await open(), runs.length];
  const began = once(slow, "began");
  const abort = new AbortController();
  const dropped = post(form, "/order", { item: "tea", slow: "yes" }, apps[0], { signal: abort.signal });
  await began;
  abort.abort();
  await expect(dropped).rejects.toThrow("aborted");
  const second = post(form, "/order", { item: "tea", slow: "yes" }, apps[1]);
  slow.emit("end");
  expect((await second).headers.get("location")).toBe(`/orders/${runs.length}`);
  expect(runs.slice(before)).toEqual(["tea"]);
});

test("an answer that cannot be stored is not repeated, nor is the handler run again", async () => {
  const [form, before] = [await open(), runs.length];
  for (const path of ["/file", "/large"]) {
    expect((await post(form, path, {})).status).toBe(200);
    const second = await post(form, path, {});
    expect([second.status, await second.text()]).toEqual([
      409,
      "this form was submitted before; reload the page to submit it again",
    ]);
  }
  expect(runs.slice(before)).toEqual(["file", "large"]);
});

test("the token of another browser reaches no answer, and a submit is forgotten after a day", async () => {
  const [form, other, before] = [await open(), await open(), runs.length];
  await post(form, "/order", { item: "cup" });
  expect((await post({ cookie: other.cookie, token: form.token }, "/order", { item: "cup" })).status).toBe(403);
  await clock.advance(25 * 3_600_000);
  await post(form, "/order", { item: "cup" });
  expect(runs.slice(before)).toEqual(["cup", "cup"]);
});

test("a submit that is repeated without access, or in another session, reaches no stored answer", async () => {
  const sessions = new TestSessions();
  await using app = await start(bundle, { platform, sessions });
  const openAs = async (cookie: string): Promise<OpenedForm> => ({
    cookie,
    token: await (await fetch(`${app.url}/token`, { headers: { Cookie: cookie } })).text(),
  });
  const [form, before] = [await openAs(sessions.signIn()), runs.length];
  const send = async (sent: OpenedForm): Promise<unknown> => {
    const answer = await post(sent, "/members", {}, app);
    return [answer.status, (await answer.text()).includes("a secret")];
  };
  expect([await send(form), await send(form)]).toEqual([
    [200, true],
    [200, true],
  ]);
  const other = await openAs(sessions.signIn({ id: "u-eve" }));
  expect(await send({ cookie: other.cookie, token: form.token })).toEqual([403, false]);
  isMember = false;
  expect(await send(form)).toEqual([403, false]);
  isMember = true;
  sessions.signOut(form.cookie);
  expect([await send(form), runs.slice(before)]).toEqual([[401, false], ["member"]]);
});
