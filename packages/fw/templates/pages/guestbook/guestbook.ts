import { Entity, Invalid, Page, Redirect, Site } from "fw";
import type { Context, Form, ID, Index, MaxLength, MinLength } from "fw";

export const site = Site("./web", { notFound: "404.html" });

export interface Entry {
  id: ID;
  name: string;
  text: string;
  written: Index<Date>;
}
export const entries = Entity<Entry>("entries");

async function guestbook(ctx: Context) {
  const latest = await entries.query().orderBy("written", "desc").limit(50).all(ctx);
  return site.render(ctx, "home.html", {
    entries: latest.map(({ name, text, written }) => ({ name, text, day: written.toISOString().slice(0, 10) })),
  });
}

export const home = Page("GET /", guestbook);

export interface Sign {
  name: Form<string & MinLength<1> & MaxLength<100>>;
  text: Form<string & MinLength<1> & MaxLength<1000>>;
}
/** Signs the guestbook. If the form has a problem, shows it again with the user's input. */
export const sign = Page(
  "POST /",
  async (ctx, { name, text }: Sign) => {
    if (name.trim() === "") throw Invalid({ name: "must not be blank" });
    if (text.trim() === "") throw Invalid({ text: "must not be blank" });
    await entries.create(ctx, { name, text, written: ctx.now() });
    return Redirect("/");
  },
  { invalid: guestbook },
);
