import { flash, Invalid, Page, Redirect, transaction } from "fw";
import type { Context, Form, HTML, MaxLength, MinLength, Path, Pattern } from "fw";
import { desks, enroll, IsAdmin, memberships, newDesks, orgs, type Role } from "../people/people.ts";
import { deskFrame, frame, site } from "./site.ts";

/** The desks of the user, and a form for another one. */
async function showHome(ctx: Context): Promise<HTML> {
  const user = ctx.maybeUser();
  const mine = user ? await memberships.query().where("user", "==", user.id).all(ctx) : [];
  return site.render(ctx, "home.html", { ...frame(ctx), mine });
}
export const home = Page("GET /", showHome);

export interface NewDesk {
  desk: Form<string & Pattern<"[a-z][a-z0-9-]{1,30}">>;
  name: Form<string & MinLength<2> & MaxLength<60>>;
}
export const foundDesk = Page(
  "POST /desks",
  async (ctx, { desk, name }: NewDesk) => {
    const user = ctx.user();
    await newDesks.take(ctx, user.id);
    await transaction(ctx, async (tx) => {
      if (await desks.find(tx, desk)) throw Invalid({ desk: "is taken" });
      await desks.create(tx, { id: desk, name });
      await enroll(tx, desk, user, "admin");
    });
    flash(ctx, `${name} is open.`);
    return Redirect(`/desks/${desk}`);
  },
  { signIn: true, invalid: showHome, once: true },
);

export interface DeskRef {
  desk: Path;
}
/** The page for new customers, to which the organisation's own site links. */
export const door = Page("GET /desks/{desk}/join", async (ctx, { desk }: DeskRef) => {
  const { name } = await desks.get(ctx, desk);
  return site.render(ctx, "join.html", { ...frame(ctx), desk, name });
});

export const join = Page(
  "POST /desks/{desk}/join",
  async (ctx, { desk }: DeskRef) => {
    await desks.get(ctx, desk);
    const member = await memberships.find(ctx, `${desk}:${ctx.user().id}`);
    if (member === undefined) await enroll(ctx, desk, ctx.user(), "customer");
    return Redirect(`/desks/${desk}/new`);
  },
  { signIn: true },
);

export const people = Page(
  "GET /desks/{desk}/people",
  async (ctx, _req: DeskRef) => {
    const members = await memberships.query().where("desk", "==", ctx.tenant(orgs).id).all(ctx);
    return site.render(ctx, "people.html", { ...deskFrame(ctx), members });
  },
  { allow: IsAdmin, live: true },
);

export interface NewRole {
  desk: Path;
  user: Path;
  role: Form<Role>;
}
export const setRole = Page(
  "POST /desks/{desk}/people/{user}",
  async (ctx, { desk, user, role }: NewRole) => {
    const { name } = await memberships.update(ctx, `${desk}:${user}`, (member) => ({ ...member, role }));
    flash(ctx, `${name} is ${role === "customer" ? "a" : "an"} ${role} now.`);
    return Redirect(`/desks/${desk}/people`);
  },
  { allow: IsAdmin },
);
