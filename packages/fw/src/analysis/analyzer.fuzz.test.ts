import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "../lib/testing/tries.ts";
import { openAnalyzer, type Analysis } from "./index.ts";
import { filesOf } from "./testing/app.ts";
import { writeTypedApp } from "./testing/typed-app.ts";

const source = `
-- notes/notes.ts --
import * as fw from "fw";
import { API as Route, Page, Service, type Form, type Int, type Path, type Query } from "fw";
import { ROUTES, Area, prefix } from "../lib/routes.ts";
export const area = Page(\`GET /\${Area.Shop}\`, async () => fw.Redirect(ROUTES.notes));
import type { Note, Page as Slice } from "./note.ts";
export interface Find { id: Path; tag?: Query<string[]>; limit?: Query<Int, "max"> }
export const service = Service({ domain: "notes.example.com" });
export const find = Route(\`GET \${ROUTES.notes}/{id}\`, async (ctx, req: Find): Promise<Note | null> => null);
export const list = fw.API("GET " + prefix + "/all", async (ctx, req: { after?: Query }): Promise<Slice<Note>> => ({ items: [] }), { signIn: true } as const);
export const add = Route("POST /notes", async (ctx, req: Pick<Note, "title" | "tags">) => ({ id: "1", ...req }));
export const save = Page("POST /save/{id}", async (ctx, req: { id: Path; text: Form }) => fw.Redirect("/"), { maxAge: "10m" });
-- work/work.ts --
import { Bucket, Cron, Runner, Singleton, Subscribe, Topic, Worker, type Int64 } from "fw";
import * as mail from "../mail/mail.ts";
import type { Note } from "../notes/note.ts";
export const files = Bucket("files");
export const changed = Topic<{ note: Note; size: Int64 }>("note-changed");
export const send = Worker(mail.letters, async (ctx) => changed.publish(ctx, { note: await import("../notes/note.ts").then(() => ({}) as Note), size: 1n }), { maxAttempts: 5 + 1, minBackoff: "1s" });
export const index = Subscribe(changed, async (ctx, event) => ctx.log.info(event.note.id));
export const scan = Subscribe(files.uploaded, async (ctx, { key }) => { const { get } = files; await get(ctx, key); });
export const lost = Subscribe(mail.letters.dead, async () => {}, { maxBackoff: "5m" });
export const rebuild = Runner(mail.again, async () => {}, { attempts: 0, tasks: 2 });
export const nightly = Cron("nightly", mail.night, async () => {}, { timezone: "Europe/Zurich", deadline: "5m" });
export const relay = Singleton("relay", async (ctx) => { await mail.forward(ctx); });
-- mail/mail.ts --
import { Job, Queue, type Context } from "fw";
import type { Note } from "../notes/note.ts";
const emails = Queue<Pick<Note, "id" | "at">>("emails");
export { emails as letters };
export const again = Job<Note["tags"]>("again");
export const forward = async (ctx: Context) => { const all = { emails }; await all.emails.send(ctx, { id: "1", at: new Date() }); };
export const night = "0 3 * * mon-fri" as const;
-- notes/note.ts --
export type Tag = "a" | "b" | "c";
export interface Note { id: string; title: string; tags: Tag[]; at: Date; parent?: Note; by: { name: string } & { age?: number } }
export interface Page<T> { items: T[]; next?: string }
-- lib/routes.ts --
export enum Area { Shop = "shop", Office = "office" }
export const prefix = "/api" as const;
export const ROUTES = { notes: \`\${prefix}/notes\`, ...{ more: 1 } } satisfies object;
`;

const files = filesOf(source);
const paths = [...files.keys()];

interface Edit {
  readonly path: string;
  readonly from: number;
  readonly length: number;
  readonly text: string;
}

const pieces = [
  "",
  ";",
  "{",
  "}",
  "(",
  ")",
  "`",
  "${",
  '"',
  "\n",
  "export ",
  "const ",
  "any",
  "unknown",
  "Find",
  "Note",
  "...",
  "/*",
  "@x ",
  "😀",
  "import ",
  "?",
  "|",
  "&",
  "<T>",
  "keyof ",
  "[]",
  "enum ",
  "Queue",
  ".dead",
  "every 7m",
];

const edits: fc.Arbitrary<Edit> = fc.record({
  path: fc.constantFrom(...paths),
  from: fc.nat(1200),
  length: fc.oneof(fc.nat(3), fc.nat(60)),
  text: fc.oneof(
    fc.constantFrom(...pieces),
    fc.record({ at: fc.nat(1000), size: fc.nat(60) }).map(({ at, size }) => source.slice(at, at + size)),
  ),
});

function edited({ path, from, length, text }: Edit): string {
  const original = files.get(path) ?? "";
  const start = from % (original.length + 1);
  return original.slice(0, start) + text + original.slice(start + length);
}

function check({ diagnostics }: Analysis): void {
  expect(diagnostics.filter(({ code }) => code === "defect" || code === "typescript")).toEqual([]);
  for (const { at } of diagnostics) expect(Math.min(at.line, at.column)).toBeGreaterThan(0);
}

test(
  "an edited application is read without a fault, and an update says what a fresh reading says",
  async () => {
    await using app = await writeTypedApp(source);
    const analyzer = openAnalyzer(app.root);
    const clean = await analyzer.analyze();
    expect(clean.diagnostics).toEqual([]);
    const step = async (edit: Edit): Promise<void> => {
      await app.write(edit.path, edited(edit));
      const updated = await analyzer.update([{ path: edit.path, kind: "changed" }]);
      check(updated);
      const fresh = openAnalyzer(app.root);
      expect(updated).toEqual(await fresh.analyze());
      expect(await analyzer.uses()).toEqual(await fresh.uses());
      fresh.close();
      await app.write(edit.path, files.get(edit.path) ?? "");
      expect(await analyzer.update([{ path: edit.path, kind: "changed" }])).toEqual(clean);
    };
    try {
      await fc.assert(fc.asyncProperty(edits, step), { numRuns: tries(6) });
    } finally {
      analyzer.close();
    }
  },
  tries(60_000),
);
