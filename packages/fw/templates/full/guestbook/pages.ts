import { Page, Redirect, Site, reply, type Context, type Form } from "fw";
import { entries } from "./entries.ts";
import { thanks } from "./thanks.ts";

export const site = Site("./web", { notFound: "404.html" });

export const home = Page("GET /", (ctx) => guestbook(ctx, ""));

export interface Sign {
  text: Form;
}
export const sign = Page(
  "POST /",
  async (ctx, { text }: Sign) => {
    if (text.trim() === "") return reply(await guestbook(ctx, "Write something first."), { status: 422 });
    const { id, email, name } = ctx.user();
    await entries.create(ctx, { author: id, name: name || email.replace(/@.*/, ""), text, written: ctx.now() });
    await thanks.send(ctx, { to: email });
    return Redirect("/");
  },
  { signIn: true },
);

/** Renders the entries and the form, with a problem of what the user typed. */
async function guestbook(ctx: Context, problem: string) {
  const latest = await entries.query().orderBy("written", "desc").limit(50).all(ctx);
  return site.render(ctx, "home.html", {
    visitor: ctx.maybeUser()?.email ?? "",
    problem,
    entries: latest.map(({ name, text, written }) => ({ name, text, day: written.toISOString().slice(0, 10) })),
  });
}
