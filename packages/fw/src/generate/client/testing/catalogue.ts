/** A museum's catalogue, with every kind of type that can be sent, in realistic notation, and every kind of API. */
export const catalogue = String.raw`
-- catalogue/types.ts --
import type { ID, Index, Int, Int64, Json, Transient } from "fw";
import { z } from "zod";

export enum Wing { North = "north", South = "south" }
export enum Floor { Ground, First }
export interface Base { id: string; /** The date of arrival. */ added: Date }
/** An excavated object. */
export interface Found extends Base {
  /** Meters below
   *  the ground. */
  depth: number;
  by?: string | null;
}
export type Listed<T> = { items: T[]; total: Int };
export type Label = Pick<Found, "id" | "depth"> & { text: string };
export type Draft = Partial<Omit<Found, "id" | "added">>;
export type Sizes = Record<string, number>;
export type ByWing = Record<Wing, Int>;
export type Span = [from: Int, to?: Int];
export type Way = [string, ...(Int | string)[]];
/** Discriminated by its kind. */
export type Shape =
  | { kind: "circle"; radius: number }
  | { kind: "box"; sides: [number, number] }
  | { kind: "none" };
export interface Tree { name: string; children?: Tree[] }
export type Loose = string | { text: string } | Int[];
export type Mapped = { [K in "width" | "height"]?: number };
export type Nullable<T> = { [K in keyof T]: T[K] | null };
export type Ref<T> = T extends { id: infer I } ? { of: I } : never;
export type Code = "a" | "quote\"${"`"}\${" | 3 | -1 | true | null;
const wings = ["east", "west"] as const;
export type Side = (typeof wings)[number];
export const specimen = z.object({ name: z.string(), tags: z.array(z.string()), weight: z.number().optional() });
export type Specimen = z.infer<typeof specimen>;
export class Drawer { label = ""; at!: Date }
export type Either = { ok: true; value: string; error?: never } | { ok: false; error: string; value?: never };
export interface Stored { id: ID; shelf: Index<string>; cached?: Transient<string> }
export interface Response { "odd-name": string; class: boolean; "*/": Int }
export interface Everything {
  text: string; float: number; int: Int; flag: boolean; nothing: null; day: Date;
  wing: Wing; floor: Floor; found: Found; list: Listed<Label>; draft: Draft; required: Required<{ a?: Int; readonly b?: string }>;
  sizes: Sizes; byWing: ByWing; span: Span; way: Way; shape: Shape; tree: Tree; loose: Loose; mapped: Mapped;
  nullable: Nullable<{ a: string }>; ref: Ref<Base>; code: Code; side: Side; specimen: Specimen; drawer: Drawer; either: Either;
  stored: Stored; odd: Response; when: Date | null; days: Date[]; empty: Record<string, never>; px: ${"`${number}px`"};
  /** The number of atoms. */
  big: Int64; bigs: Int64[]; json: Json; readonly list2: readonly string[]; grid: Int[][]; times: Record<string, Date>;
}

-- catalogue/catalogue.ts --
import { API, Auth, NotFound, RequireRole, Role, Socket, blob, event, events, reply, Errorf } from "fw";
import type { Blob, Body, Connection, Cookie, Form, Header, Int, Int64, Path, Query, Raw } from "fw";
import { Wing, type Draft, type Everything, type Found, type Label, type Side, type Listed, type Tree } from "./types.ts";

export const auth = Auth({ social: true });
export const Keeper = Role("keeper");
export const IsKeeper = RequireRole(Keeper);

export interface Filled extends Partial<Everything> {}
/**
 * Returns its request.
 *
 * Changes nothing.
 */
export const echo = API("POST /echo", (_ctx, req: Filled): Filled => req);
export interface Move { hall: Path; "class": Path<Int>; dryRun?: Query<boolean, "dry_run">; /** The destination. */ to: string; notes?: string[] }
export const move = API("PUT /halls/{hall}/{class}/move", (_ctx, req: Move): Record<string, string> => ({ all: JSON.stringify(req) }), { allow: IsKeeper });
export const find = API("GET /finds", (_ctx, req: { /** The side of the wing. */ side?: Query<Side>; tag?: Query<string[]>; limit?: Query<Int>; big?: Query<Int64>; price?: Query<number>; floor?: Query<1 | 2> }) => ({ ...req, price: req.price ?? null }));
export const one = API("GET /finds/{id}", (_ctx, { id }): Found => {
  if (id === "none") throw NotFound();
  if (id === "bad") throw Errorf(422, "bad */ id");
  return { id, added: new Date(0), depth: 1.5 };
});
export const page = API("GET /pages/{n}", (_ctx, { n }: { n: Path<Int> }): Listed<Tree> => ({ items: [], total: n }));
export const search = API("GET /search", (_ctx, { q }: { q: Query }) => [q], { signIn: true });
export const mine = API("GET /mine", (ctx) => ctx.user().email, { signIn: true });
export const remove = API("DELETE /finds/{id}", (_ctx, _req: { id: Path }) => {});
export const maybe = API("GET /maybe", (_ctx, { yes }: { yes?: Query<boolean> }): { yes: true } | undefined => (yes ? { yes } : undefined));
export const count = API("GET /count", (): Int64 => 2n ** 60n as Int64);
export const photo = API("GET /photo", () => blob("pixels", { type: "image/png" }));
export const hooked = API("POST /hooked", (_ctx, req: { signature: Header<string, "X-Signature">; tries?: Header<Int, "X-Tries">; langs?: Header<string[], "Accept-Language">; theme?: Cookie<"light" | "dark">; text: string }) => ({ ...req }));
/** Yields two finds, and two more after a reconnect. */
async function* coming(last: number) {
  for (const depth of [last + 1, last + 2]) yield event<Found>({ id: "f", depth, added: new Date(0) }, { id: String(depth), name: "found" });
}
export const feed = API("GET /feed/{listen}", (_ctx, { last }: { listen: Path; last?: Header<Int, "Last-Event-ID"> }) => events(coming(last ?? 0), { retry: "10ms" }));
async function* told(text: string) { yield text; yield undefined; yield 2n ** 60n as Int64; yield { wing: Wing.North }; }
export const tell = API("POST /tell", (_ctx, { text }: { text: string }) => events(told(text)));
export const root = API("GET /", () => null);
export const add = API("POST /finds", (_ctx, req: Draft): Found => ({ id: "new", added: new Date(0), depth: req.depth ?? 0 }), { status: 201, maxBody: "10MB" });
export const import_ = API("POST /finds/batch", (_ctx, { all }: { all: Body<Label[]> }) => all.length);
export const hook = API("POST /hook", (_ctx, { body }: { body: Raw }) => body.type);
export interface Mistakes { fields: Record<string, string[]> }
export const rename = API("PUT /finds/{id}/name", (_ctx, req: { id: Path; name: string }) => req.name === "" ? Errorf(409, "another find has that name", { details: { taken: req.name, since: new Date(0) } }) : req.name === "?" ? NotFound() : { id: req.id });
export const label = API("PUT /finds/{id}/label", (_ctx, req: { id: Path; text: string }) => req.text === "" ? reply<Mistakes, 422>({ fields: { text: ["is empty"] } }, { status: 422 }) : req.text === "old" ? reply({ gone: true }, { status: 400 }) : reply({ id: req.id }, { status: 201, headers: { Location: "/finds/" + req.id } }));
export const begin = API("POST /digs", () => {}, { status: 202 });
export const upload = API("POST /upload", (_ctx, req: { file: Form<Blob> }) => req.file.type);
export const submit = API("POST /submit", (_ctx, req: { name: Form }) => req.name);
/** A message in a conversation. */
export interface Said { text: string; of?: Found; many?: Int64 }
export interface Heard { from: string; hall: string; at: Date; said: Said }
/** The conversation in a hall. */
export const talk = Socket("GET /halls/{hall}/talk", async (_ctx, { hall, from = "nobody" }: { hall: Path; from?: Query }, socket: Connection<Said, Heard>) => {
  for await (const said of socket) {
    if (said.text === "leave") return;
    if (said.text === "own") return socket.close(4001, "as you like");
    if (said.text === "refuse") throw Errorf(403, "not that");
    for (let i = 0n; i < (said.many ?? 1n); i++) await socket.send({ from, hall, at: new Date(0), said });
  }
});
export const guarded = Socket("GET /guarded", async (_ctx, { token }: { token: Header<string, "X-Token"> }, socket: Connection<never, string>) => void (await socket.send(token)));

-- vault/vault.ts --
import { API } from "fw";
export const open = API("GET /vault", () => "open", { private: true });
`;

const match = { depth: 1.5, id: "t-1", added: "2024-02-29T12:30:00.000Z" };

/** Values of the fields of `Everything` in JSON form. */
export const samples: readonly (readonly [field: string, value: unknown])[] = [
  ["text", "ü\u2028\"'</script>"],
  ["float", -1.5e-7],
  ["int", 9_007_199_254_740_991],
  ["flag", false],
  ["nothing", null],
  ["day", "2024-02-29T12:30:00.000Z"],
  ["wing", "north"],
  ["floor", 1],
  ["found", { ...match, by: null }],
  ["list", { items: [{ id: "a", depth: 2, text: "b" }], total: 1 }],
  ["draft", { depth: 2 }],
  ["required", { a: 1, b: "x" }],
  ["sizes", { a: 1, toString: 2 }],
  ["byWing", { north: 1, south: 2 }],
  ["span", [1]],
  ["span", [1, 2]],
  ["way", ["a", 1, "2"]],
  ["shape", { kind: "box", sides: [1, 2] }],
  ["shape", { kind: "none" }],
  ["tree", { name: "a", children: [{ name: "b", children: [] }] }],
  ["loose", "x"],
  ["loose", [1]],
  ["loose", { text: "x" }],
  ["mapped", { width: 1 }],
  ["nullable", { a: null }],
  ["ref", { of: "x" }],
  ["code", 'quote"`${'],
  ["code", -1],
  ["code", null],
  ["side", "west"],
  ["specimen", { name: "a", tags: ["b"] }],
  ["drawer", { label: "x", at: match.added }],
  ["either", { ok: false, error: "no" }],
  ["stored", { id: "1", shelf: "a", cached: "b" }],
  ["odd", { "odd-name": "a", class: true, "*/": 1 }],
  ["when", null],
  ["when", match.added],
  ["days", [match.added]],
  ["empty", {}],
  ["px", "12px"],
  ["big", -9_007_199_254_740_991],
  ["bigs", [1, 2]],
  ["json", { a: [1, null, { b: "c" }] }],
  ["list2", ["a"]],
  ["grid", [[1], [2, 3], []]],
  ["times", { first: match.added }],
];
