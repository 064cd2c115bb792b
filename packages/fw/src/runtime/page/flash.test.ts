import { expect, test } from "vitest";
import { flash } from "../../declare/site.ts";
import { Redirect } from "../../declare/redirect.ts";
import { bundleOf, pages, siteOf, start } from "../testing/app.ts";
import { TestSessions } from "../testing/sessions.ts";

const site = siteOf({ templates: { "message.html": (_data, page) => `[${page.flash()}]` } });
const hostile = `<script>alert(1)</script>\r\nSet-Cookie: fw_session=eve; "\\\u2028😀`;
const bundle = bundleOf(
  pages({
    "GET /leave": (ctx) => {
      flash(ctx, hostile);
      return Redirect("/show");
    },
    "GET /show": (ctx) => site.declaration.fragment(ctx, "message.html"),
    "GET /long": (ctx) => {
      flash(ctx, "é".repeat(513));
      return Redirect("/show");
    },
  }),
  { site },
);

test("a message adds no header, and is shown unaltered in the session that left it", async () => {
  const sessions = new TestSessions();
  await using app = await start(bundle, { sessions });
  const [ann, eve] = [sessions.signIn(), sessions.signIn({ id: "u-eve" })];
  const answer = await fetch(`${app.url}/leave`, { headers: { Cookie: ann }, redirect: "manual" });
  const [cookie = "", ...others] = answer.headers.getSetCookie();
  expect([cookie, others]).toEqual([expect.stringMatching(/^fw_flash=[\w.-]+; .*HttpOnly/), []]);
  const [pair = ""] = cookie.split(";");
  const show = async (cookies: string): Promise<string> =>
    (await fetch(`${app.url}/show`, { headers: { Cookie: cookies } })).text();
  expect(await show(`${ann}; ${pair}`)).toBe(`[${hostile}]`);
  for (const cookies of [`${eve}; ${pair}`, pair, `${ann}; fw_flash=`, `${ann}; fw_flash=<b>`, `${ann}; ${pair}x`])
    expect(await show(cookies)).toBe("[]");
  const value = pair.slice("fw_flash=".length);
  for (let i = 0; i < value.length; i += 7) {
    const altered = `${value.slice(0, i)}${value[i] === "A" ? "B" : "A"}${value.slice(i + 1)}`;
    expect(await show(`${ann}; fw_flash=${altered}`)).toBe("[]");
  }
  expect((await fetch(`${app.url}/long`)).status).toBe(500);
});
