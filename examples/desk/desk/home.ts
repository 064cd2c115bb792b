import { flash, Invalid, Page, Redirect, transaction } from "fw";
import type { Context, Form, HTML, MaxLength, MinLength, Path, Pattern } from "fw";
import { desks, enroll, members, newDesks } from "../people/people.ts";
import { frame, site } from "./site.ts";

/** Renders the user's desks, and a form for opening another one. */
async function showHome(ctx: Context): Promise<HTML> {
  const user = ctx.maybeUser();
  const mine = user ? await members.query().where("user", "==", user.id).with("desk").all(ctx) : [];
  return site.render(ctx, "home.html", { ...frame(ctx), mine });
}
export const home = Page("GET /", showHome);

export interface NewDesk {
  desk: Form<string & Pattern<"[a-z][a-z0-9-]{1,30}">>;
  name: Form<string & MinLength<2> & MaxLength<60>>;
}
export const openDesk = Page(
  "POST /desks",
  async (ctx, { desk, name }: NewDesk) => {
    await newDesks.take(ctx, ctx.user().id);
    await transaction(ctx, async (tx) => {
      if (await desks.find(tx, desk)) throw Invalid({ desk: "is taken" });
      await desks.create(tx, { id: desk, name });
      await enroll(tx, desk, ctx.user(), "admin");
    });
    flash(ctx, `${name} is open.`);
    return Redirect(`/desks/${desk}`);
  },
  { signIn: true, invalid: showHome, once: true },
);

/** The page for new customers, linked from the organization's own site. */
export const door = Page("GET /desks/{desk}/join", async (ctx, { desk }: { desk: Path }) => {
  const { name } = await desks.get(ctx, desk);
  return site.render(ctx, "join.html", { ...frame(ctx), desk, name });
});

export const join = Page(
  "POST /desks/{desk}/join",
  async (ctx, { desk }: { desk: Path }) => {
    await desks.get(ctx, desk);
    const member = await members.find(ctx, `${desk}:${ctx.user().id}`);
    if (member === undefined) await enroll(ctx, desk, ctx.user(), "customer");
    return Redirect(`/desks/${desk}/new`);
  },
  { signIn: true },
);
