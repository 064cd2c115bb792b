import { blob, Job, Page, type Path, Redirect, Runner } from "fw";
import { IsAdmin, orgs } from "../people/people.ts";
import { attachments } from "./files.ts";
import { deskFrame, site } from "./site.ts";
import { tickets } from "./tickets.ts";

/** Writes the tickets of a desk to a file, one per line. */
export const exporting = Job("export", { tenant: orgs, history: "30d" });

export const runExport = Runner(exporting, async (ctx, _args, run) => {
  const total = await tickets.query().count(ctx);
  const lines: string[] = [];
  for await (const ticket of tickets.query().with("customer", "assignee").each(ctx)) {
    ctx.signal.throwIfAborted();
    lines.push(JSON.stringify(ticket));
    run.progress(lines.length / total, `${lines.length} of ${total} tickets`);
  }
  await attachments.put(ctx, `export-${run.id}`, blob(lines.join("\n"), { type: "application/x-ndjson" }));
});

export const startExport = Page(
  "POST /desks/{desk}/exports",
  async (ctx, { desk }: { desk: Path }) => Redirect(`/desks/${desk}/exports/${await exporting.start(ctx)}`),
  { allow: IsAdmin, once: true },
);

/** The progress of an export, updated live in open browsers. */
export const showExport = Page(
  "GET /desks/{desk}/exports/{id}",
  async (ctx, { id }: { desk: Path; id: Path }) => {
    const run = await exporting.get(ctx, id);
    return site.render(ctx, "export.html", { ...deskFrame(ctx), run, done: run.state === "done" });
  },
  { allow: IsAdmin, live: true },
);

export const downloadExport = Page(
  "GET /desks/{desk}/exports/{id}/file",
  async (ctx, { id }: { desk: Path; id: Path }) =>
    Redirect((await attachments.signedGet(ctx, `export-${id}`, "5m")).url),
  { allow: IsAdmin },
);
