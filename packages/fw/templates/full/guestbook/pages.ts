import { Invalid, Page, Redirect, Site, type Context, type Form, type MaxLength, type MinLength } from "fw";
import { entries } from "./entries.ts";
import { thanks } from "./thanks.ts";

export const site = Site("./web", { notFound: "404.html" });

async function guestbook(ctx: Context) {
  const latest = await entries.query().orderBy("written", "desc").limit(50).all(ctx);
  return site.render(ctx, "home.html", {
    visitor: ctx.maybeUser()?.email ?? "",
    entries: latest.map(({ name, text, written }) => ({ name, text, day: written.toISOString().slice(0, 10) })),
  });
}

export const home = Page("GET /", guestbook);

export interface Sign {
  text: Form<string & MinLength<1> & MaxLength<1000>>;
}
/** Signs the guestbook. If the form has a problem, shows it again with the user's input. */
export const sign = Page(
  "POST /",
  async (ctx, { text }: Sign) => {
    if (text.trim() === "") throw Invalid({ text: "must not be blank" });
    const { id, email, name } = ctx.user();
    await entries.create(ctx, { author: id, name: name || email.replace(/@.*/, ""), text, written: ctx.now() });
    await thanks.send(ctx, { to: email });
    return Redirect("/");
  },
  { signIn: true, invalid: guestbook },
);
