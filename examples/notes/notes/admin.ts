import { Errorf, Page, Redirect, isEmailTaken, type Context, type Form, type HTML, type Path, type Query } from "fw";
import { Admin, Editor, IsAdmin, auth, visitor } from "./auth.ts";
import { mails, outbox } from "./mail.ts";
import { reindex, reindexed } from "./search.ts";
import { site } from "./site.ts";
import { minute } from "./text.ts";

export interface AdminPage {
  after?: Query;
}
export const admin = Page("GET /admin", (ctx, { after }: AdminPage) => adminPage(ctx, after), { allow: IsAdmin });

export interface Invitation {
  email: Form;
  name: Form;
}
export const invite = Page(
  "POST /admin/accounts",
  async (ctx, { email, name }: Invitation) => {
    try {
      await auth.users.create(ctx, { email, name });
    } catch (error) {
      if (!isEmailTaken(error)) throw error;
      return adminPage(ctx, "", `${email} has an account already.`);
    }
    return Redirect("/admin");
  },
  { allow: IsAdmin },
);

export interface AccountRef {
  id: Path;
}
export const makeEditor = Page(
  "POST /admin/accounts/{id}/grant",
  async (ctx, { id }: AccountRef) => {
    await auth.users.grant(ctx, id, Editor);
    const { email } = await auth.users.get(ctx, id);
    await mails.send(ctx, { to: email, subject: "You are an editor", text: "You may edit every public note now: /" });
    return Redirect("/admin");
  },
  { allow: IsAdmin },
);

export const unmakeEditor = Page(
  "POST /admin/accounts/{id}/revoke",
  async (ctx, { id }: AccountRef) => {
    await auth.users.revoke(ctx, id, Editor);
    return Redirect("/admin");
  },
  { allow: IsAdmin },
);

/** Disables an account, which also ends all of its sessions. */
export const disable = Page(
  "POST /admin/accounts/{id}/disable",
  async (ctx, { id }: AccountRef) => {
    if (id === ctx.user().id) throw Errorf(422, "that would lock you out yourself");
    await auth.users.disable(ctx, id);
    return Redirect("/admin");
  },
  { allow: IsAdmin },
);

export const enable = Page(
  "POST /admin/accounts/{id}/enable",
  async (ctx, { id }: AccountRef) => {
    await auth.users.enable(ctx, id);
    return Redirect("/admin");
  },
  { allow: IsAdmin },
);

export const startReindex = Page(
  "POST /admin/reindex",
  async (ctx) => {
    await reindex.start(ctx);
    return Redirect("/admin");
  },
  { allow: IsAdmin },
);

async function adminPage(ctx: Context, after?: string, problem?: string): Promise<HTML> {
  const [{ users, next }, sent, runs] = await Promise.all([
    auth.users.list(ctx).limit(10).page(after),
    outbox.query().orderBy("sent", "desc").limit(10).all(ctx),
    reindexed.query().orderBy("at", "desc").limit(4).all(ctx),
  ]);
  const who = visitor(ctx, "/");
  return site.render(ctx, "admin.html", {
    accounts: users.map((user) => ({
      id: user.id,
      name: user.name,
      email: user.email,
      isEditor: user.hasRole(Editor),
      isAdmin: user.hasRole(Admin),
      isMe: user.id === ctx.user().id,
    })),
    next,
    problem,
    sent: sent.map((mail) => ({ ...mail, sent: minute(mail.sent) })),
    runs: runs.map((run) => ({ ...run, at: minute(run.at) })),
    who,
  });
}
