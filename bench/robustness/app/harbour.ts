// A harbour office with one endpoint of every kind that a hostile client can reach.
import { API, blob, Errorf, NotFound, Page, Redirect, Site } from "fw";
import type { Blob, Form, Int, Int64, Json, Path, Query } from "fw";

export const site = Site("./site", { redirects: { "/old": "/berths/1" }, notFound: "404.html" });

// A secret that no response may contain.
const password = "hunter2-harbour-master";

let docked = 0;
export const office = API("GET /office", () => ({ open: true }));
export const count = API("GET /docked", () => docked);
export const berth = API("GET /berths/{number}", (_ctx, req: { number: Path<Int> }) => ({ berth: req.number }));
export const crane = API("GET /cranes/{crane}/{load}", (_ctx, req: { crane: Path; load: Path }) => req);

export interface Search {
  text?: Query;
  tag?: Query<string[]>;
  limit?: Query<Int>;
  tonnes?: Query<number>;
  exact?: Query<Int64>;
  open?: Query<boolean>;
}
export const search = API("GET /ships", (_ctx, req: Search) => ({
  text: req.text ?? "",
  tags: req.tag?.length ?? 0,
  limit: req.limit ?? 0,
}));

export interface Ship {
  name: string;
  length: number;
  built?: Date;
  crew: { name: string; rank: "captain" | "mate" }[];
  holds?: Record<string, Int>;
}
export const arrive = API("POST /ships", (_ctx, ship: Ship) => {
  docked++;
  return ship;
});
export const note = API("POST /notes", (_ctx, { value }: { value: Json }) => value);
export const merge = API("POST /merge", (_ctx, req: { value: Json; extra?: Json }) => {
  const target: Record<string, unknown> = {};
  deepMerge(target, req.value);
  return { polluted: Object.hasOwn(Object.prototype, "polluted") || "polluted" in {}, admin: "admin" in target };
});
export interface Hull {
  holds: Record<string, Int>;
}
export const hull = API("POST /hulls", (_ctx, req: Hull) => ({
  names: Object.keys(req.holds),
  polluted: "polluted" in {},
  inherited: "polluted" in req.holds,
}));

export interface Manifest {
  ship: Form;
  cargo?: Form<string[]>;
  tonnes?: Form<Int>;
}
export const manifest = API("POST /manifests", (_ctx, req: Manifest) => ({
  ship: req.ship.length,
  cargo: req.cargo?.length ?? 0,
  polluted: "polluted" in {},
}));

export interface Photograph {
  title?: Form;
  photo: Form<Blob>;
}
export const photograph = API("POST /photographs", async (_ctx, { photo }: Photograph) => {
  let bytes = 0;
  for await (const chunk of photo.stream()) bytes += chunk.byteLength;
  return { bytes, name: photo.name ?? "" };
});

const chart = new Uint8Array(32 * 1024 * 1024);
export const tide = API("GET /tide", () => blob(chart, { type: "image/png", etag: "tide" }));
export const wait = API("GET /wait/{ms}", async (_ctx, { ms }: { ms: Path<Int> }) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { waited: ms };
});
export const stuck = API("GET /stuck", () => new Promise<string>(() => {}));

export const crash = API("GET /crash", (_ctx, { text }: { text?: Query }): string => {
  if (text === "list") throw [password];
  throw new Error(`the password is ${password} ${text ?? ""}`, { cause: new Error(password) });
});
export const late = API("GET /late", async (): Promise<string> => {
  await Promise.resolve();
  throw new TypeError(password);
});
export const refuse = API("GET /refuse", (_ctx, { text }: { text?: Query }): string => {
  throw Errorf(409, text ?? "no");
});
export const miss = API("GET /miss", (): string => {
  throw NotFound();
});
export const odd = API("GET /odd", (): string => {
  throw Errorf(200, password);
});
export const log = API("GET /log", (ctx, { text }: { text?: Query }) => {
  ctx.log.info(text ?? "", { [text ?? "text"]: text, agent: ctx.client.userAgent, ip: ctx.client.ip });
});
export const client = API("GET /client", (ctx) => ctx.client);
export const mine = API("GET /mine", () => password, { signIn: true });

export const desk = Page("GET /desk", (ctx) => site.render(ctx, "desk.html", { title: "Desk" }));
export const sign = Page("POST /desk", (ctx, { ship }: { ship: Form }) => {
  docked++;
  return site.fragment(ctx, "berth.html", { ship });
});
export const leave = Page("DELETE /desk", () => {
  docked--;
  return Redirect("/desk");
});
export const board = Page("GET /board", (ctx, { rows }: { rows?: Query<Int> }) => {
  const list = Array.from({ length: Math.min(rows ?? 10, 5000) }, (_, i) => ({ name: `<ship ${i}>`, berth: `"${i}"` }));
  return site.render(ctx, "board.html", { title: "Board", list });
});
export const diary = Page("POST /diary", (ctx, { text }: { text: Form }) => site.fragment(ctx, "diary.html", { text }));
export const broken = Page("GET /broken", (): Blob => {
  throw new Error(password);
});
// Read at run time, so that the analysis cannot know that it is missing.
const missing: string = ["no-such", "html"].join(".");
export const lost = Page("GET /lost", (ctx) => site.render(ctx, missing, { password }));
export const away = Page("GET /away", (_ctx, { to }: { to?: Query }) => Redirect(to ?? "/desk"));

/** Merges objects carelessly, which allows prototype pollution. */
function deepMerge(target: Record<string, unknown>, source: unknown): void {
  if (typeof source !== "object" || source === null) return;
  for (const [key, value] of Object.entries(source)) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      deepMerge((target[key] ??= {}) as Record<string, unknown>, value);
    } else target[key] = value;
  }
}
