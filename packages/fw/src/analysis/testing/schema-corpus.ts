/** Modules that the cases of the corpus import. */
export const corpusModules = `
-- shop/model.ts --
import type { Int, Int64, Json } from "fw";
export interface Order { id: string; total: Int; placed: Date; note?: string; status: Status }
export type Status = "open" | "paid";
export type Customer = { id: string; address: Address; vip: boolean };
export interface Address { street: string; zip?: string }
export interface Page<T, C = string> { items: T[]; next: C }
export interface Tree { name: string; children: Tree[] }
export interface Ping { pong?: Pong }
export interface Pong { ping?: Ping }
export type Shape = Circle | Square;
export interface Circle { kind: "circle"; radius: number }
export interface Square { kind: "square"; side: number; corners?: Shape[] }
export enum Color { Red = "red", Blue = "blue" }
export enum Level { Low, High, Top = 10 }
export const enum Flag { On = 1, Off = 0 }
export const sizes = ["s", "m", "l"] as const;
export const limits = { small: 1, large: 10, deep: { name: "x" } } as const;
export const version = "v1";
export let mutable = "v1";
export const computed = sizes.length;
export interface Merged { a: string }
export interface Merged { b: number }
export interface Extended extends Order, Address { extra: boolean }
export interface Overriding extends Omit<Order, "total"> { total: string }
export class Account { id = ""; rename(): void {} }
export class Identified { id!: string; total: Int = 0 }
export class Dto extends Identified { static count = 1; tags: string[] = []; at = new Date(); kind = "dto"; note?: string; constructor() { super(); } }
export class Boxed<T> { value!: T; next?: Boxed<T> }
export class Hidden { private id = ""; n = 1 }
export class Sealed { #id = ""; n = this.#id }
export class Derived extends Account { n = 1 }
export type Unwrap<T> = T extends Promise<infer U> ? U : T;
export type Getters<T> = { [K in keyof T as \`get\${Capitalize<string & K>}\`]: T[K] };
export type Nullable<T> = { [K in keyof T]: T[K] | null };
export type Loose<T> = { [K in keyof T]?: T[K] };
export type Strict<T> = { [K in keyof T]-?: T[K] };
export type Choose<T, K extends keyof T> = { [P in K]: T[P] };
export type Maybe<T> = T | null;
export type List<T> = T | List<T>[];
export type Linked<T> = { value: T; next?: Linked<T> };
export type UserId = string & { readonly __brand: "UserId" };
export type Either<A, B> = { ok: true; value: A } | { ok: false; error: B };
export type Tools = string | number | boolean | null | { [key: string]: Tools | undefined } | Tools[];
export type Expr = { kind: "leaf"; v: number } | { kind: "branch"; left: Expr | null; right: Expr | null };
export type Branches = { kind: "leaf" } | { kind: "branch"; kids: (Branches | string)[] };
export type Texts = string | { [key: string]: Texts | null };
export interface Meta<T> { value: T; meta?: Meta<{ tag: string }> }
export interface Wire { a: Int64; b: Json; c: Int[] }
export function make() { return { made: true, at: new Date() }; }
export async function load(id: string, deep: boolean) { return [{ id, deep }]; }
export default interface Anonymous { def: string }
export namespace Inner { export interface Deep { x: string } }
-- shop/index.ts --
export * from "./model.ts";
export type { Order as Renamed } from "./model.ts";
export * as all from "./model.ts";
export { type default as Default } from "./model.ts";
`;

/** The head of the module with the cases. */
export const corpusHead = `
import type { ID, Index, Transient, Int, Int64, Json, Blob as FwBlob, Query } from "fw";
import type * as fw from "fw";
import type { Order, Customer, Address, Page, Tree, Ping, Shape, Circle, Square, Status, Merged, Extended, Overriding, Unwrap, Getters, Nullable, Loose, Strict, Choose, Maybe, List, Linked, UserId, Either, Wire, Tools, Expr, Branches, Texts, Meta, Dto, Boxed, Hidden, Sealed, Derived } from "./shop/model.ts";
import { Color, Level, Flag, sizes, limits, version, mutable, computed, Account, make, load } from "./shop/model.ts";
import type { Order as O2 } from "./shop/model.ts";
import type * as model from "./shop/model.ts";
import type { Renamed, all, Default } from "./shop/index.ts";
import type Anonymous from "./shop/model.ts";
import type { Inner } from "./shop/model.ts";
import { z } from "zod";
const Draft = z.object({ title: z.string(), tags: z.array(z.string()), n: z.number().optional(), kind: z.enum(["a", "b"]) });
interface Local { l: string }
type Never1 = "a" & "b";
type Deep0 = { v: string };
type Grow<T> = { next: Grow<T[]> };
type Event1 = { type: "made"; id: string } | { type: "gone"; at: Date } | { type: "moved"; to: Address };
type WithBase = { at: Date } & ({ kind: "a"; a: string } | { kind: "b"; b: number });
type Xor = { a: string; b?: never } | { b: string; a?: never };
class PointDto { x: Int = 0; y?: string; }
class Boxed2<T> { value!: T; }
const draftDto = new PointDto(); const account = new Account();
async function findDto() { return new PointDto(); }
type Where = { where?: { AND?: NonNullable<Where["where"]>[]; id?: number } };
type Where2 = { where: { OR?: Where2["where"][]; id: Int } | null };
type Kids = { n: { kids: Kids["n"][]; v: Int } };
type Self = Self2; type Self2 = { s: Self | null };
interface Callable { (): void; x: string }
interface Indexed { [key: string]: number }
interface Mixed { id: string; [key: string]: string }
interface Method { m(): void }
interface Getter { get x(): string }
declare const sym: unique symbol;
interface Symbols { [sym]: string; a: string }
type Where3<T> = { where?: { v?: T } & { OR?: NonNullable<Where3<T>["where"]>[] } };
type Where4 = { where?: Partial<{ a: string; OR: NonNullable<Where4["where"]>[] }> };
type Where5 = { where?: { [K in "AND" | "OR"]?: NonNullable<Where5["where"]>[] } };
type Where6 = { where?: ({ k: "a" } | { k: "b"; n: Int }) & { OR?: NonNullable<Where6["where"]>[] } };
type Where7 = { where?: Omit<{ a: string; b: Int; OR: NonNullable<Where7["where"]>[] }, "b"> };
`;

/** Types with their schemas. For a refused type, the message is in angle brackets. */
export const corpus: readonly (readonly [string, string])[] = [
  ["string", "string"],
  ["number", "number"],
  ["boolean", "boolean"],
  ["Date", "date"],
  ["null", "null"],
  ["Int", "int"],
  ["Int64", "int64"],
  ["Json", "json"],
  ["fw.Int", "int"],
  ["fw.Json", "json"],
  ["any", "<any cannot be sent as JSON>"],
  ["unknown", "<unknown cannot be sent as JSON>"],
  ["never", "<no value has the type never>"],
  ["undefined", "<undefined inside a value cannot be sent as JSON>"],
  ["void", "<void cannot be sent as JSON>"],
  ["object", "<object cannot be sent as JSON>"],
  ["symbol", "<symbol cannot be sent as JSON>"],
  ["bigint", "<bigint cannot be sent as JSON>"],
  ["{}", "{}"],
  ["Function", "<Function cannot be sent as JSON>"],
  ["() => void", "<a function cannot be sent as JSON>"],
  ["new () => Date", "<a constructor cannot be sent as JSON>"],
  ['"a"', '"a"'],
  ["1", "1"],
  ["-1", "-1"],
  ["true", "true"],
  ["1n", "<a bigint literal cannot be sent as JSON>"],
  ['"a" | "b"', '"a" | "b"'],
  ['"a" | 1 | true', '"a" | 1 | true'],
  ["true | false", "boolean"],
  ['true | false | "x"', '"x" | boolean'],
  ["string | null", "string | null"],
  ['string | "a"', "string"],
  ["string | number | boolean", "string | number | boolean"],
  ["1 | 2 | number", "number"],
  ["string[]", "string[]"],
  ["Array<string>", "string[]"],
  ["ReadonlyArray<Date>", "date[]"],
  ["readonly string[]", "string[]"],
  ["string[][]", "string[][]"],
  ["(string | null)[]", "(string | null)[]"],
  ["(string | undefined)[]", "<undefined inside a value cannot be sent as JSON>"],
  ["[string, number]", "[string, number]"],
  ["[string, number?]", "[string, number?]"],
  ["[string, ...number[]]", "[string, ...number]"],
  ["[...string[], number]", "<a tuple with a rest element before its end cannot be sent as JSON>"],
  ["[name: string, age?: number]", "[string, number?]"],
  ["[a: string, ...rest: boolean[]]", "[string, ...boolean]"],
  ["readonly [string, Int]", "[string, int]"],
  ["[]", "[]"],
  [
    "[Order, Order]",
    '[&Order, &Order], Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["[...[string, number]]", "[string, number]"],
  ["Record<string, number>", "{ [*]: number }"],
  ['Record<"a" | "b", Int>', "{ a: int; b: int }"],
  [
    "Record<Status, Order>",
    '{ open: &Order; paid: &Order }, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["Record<number, string>", "<a record with number keys cannot be sent as JSON>"],
  ["Record<Color, string>", "{ red: string; blue: string }"],
  ["Record<Level, string>", "{ 0: string; 1: string; 10: string }"],
  [
    "{ [key: string]: Order }",
    '{ [*]: &Order }, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["{ [key: number]: string }", "<an index signature of number keys cannot be sent as JSON>"],
  ['{ [K in "a" | "b"]: string }', "{ a: string; b: string }"],
  ['{ [K in "a" | "b"]?: string }', "{ a?: string; b?: string }"],
  ["{ [K in Status]: K }", '{ open: "open"; paid: "paid" }'],
  ["{ [K in keyof Address]: number }", "{ street: number; zip?: number }"],
  ["{ [K in string]: number }", "{ [*]: number }"],
  ["Indexed", "{ [*]: number }"],
  ["Mixed", "<an object with both named fields and open-ended keys cannot be sent>"],
  ["{ a: string } & Record<string, string>", "<an object with both named fields and open-ended keys cannot be sent>"],
  ["{ a: string; b?: number }", "{ a: string; b?: number }"],
  ["{ a?: string | undefined }", "{ a?: string }"],
  ["{ a: string | undefined }", "{ a?: string }"],
  ["{ a?: string | null }", "{ a?: string | null }"],
  ['{ "quoted-key": string; 12: number }', "{ quoted-key: string; 12: number }"],
  ["{ readonly a: string }", "{ a: string }"],
  ["{ a: { b: { c: string } } }", "{ a: { b: { c: string } } }"],
  ["{ a }", "<any (it has no type) cannot be sent as JSON>"],
  ["{ m(): void }", "<a method cannot be sent as JSON>"],
  ["{ f: () => void }", "<a function cannot be sent as JSON>"],
  ["{ a: any; b: unknown }", "<any cannot be sent as JSON> <unknown cannot be sent as JSON>"],
  ["{ get x(): string }", "{ x: string }"],
  ["Method", "<a method cannot be sent as JSON>"],
  ["Getter", "&Getter, Getter = { x: string }"],
  ["Callable", "<an object that can be called cannot be sent as JSON>"],
  ["Symbols", "<an object with symbol keys cannot be sent as JSON>"],
  ["Order", '&Order, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  [
    "Customer",
    "&Customer, Address = { street: string; zip?: string }, Customer = { id: string; address: &Address; vip: boolean }",
  ],
  ['Customer["address"]', "&Address, Address = { street: string; zip?: string }"],
  ['Order["total"]', "int"],
  ['Order["id" | "total"]', "string | int"],
  ['Order["note"]', "<undefined inside a value cannot be sent as JSON>"],
  ['{ n: Order["note"] }', "{ n?: string }"],
  ['Customer["address"]["street"]', "string"],
  ["Order[]", '&Order[], Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  [
    "Page<Order>",
    '&Page<Order,string>, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }, Page<Order,string> = { items: &Order[]; next: string }',
  ],
  [
    "Page<Order, null>",
    '&Page<Order,null>, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }, Page<Order,null> = { items: &Order[]; next: null }',
  ],
  [
    "Page<Page<string>>",
    "&Page<Page<string,string>,string>, Page<Page<string,string>,string> = { items: &Page<string,string>[]; next: string }, Page<string,string> = { items: string[]; next: string }",
  ],
  ['Page<Omit<Order, "id">>["items"]', '{ total: int; placed: date; note?: string; status: "open" | "paid" }[]'],
  ["Tree", "&Tree, Tree = { name: string; children: &Tree[] }"],
  ["Ping", "&Ping, Ping = { pong?: &Pong }, Pong = { ping?: &Ping }"],
  [
    "Shape",
    '&Shape, Circle = { kind: "circle"; radius: number }, Shape = &Circle | &Square by kind, Square = { kind: "square"; side: number; corners?: &Shape[] }',
  ],
  [
    "Circle | Square",
    '&Circle | &Square by kind, Circle = { kind: "circle"; radius: number }, Shape = &Circle | &Square by kind, Square = { kind: "square"; side: number; corners?: &Shape[] }',
  ],
  [
    "Circle | Square | null",
    '&Circle | &Square | null by kind, Circle = { kind: "circle"; radius: number }, Shape = &Circle | &Square by kind, Square = { kind: "square"; side: number; corners?: &Shape[] }',
  ],
  [
    "Circle | Square | string",
    '&Circle | &Square | string by kind, Circle = { kind: "circle"; radius: number }, Shape = &Circle | &Square by kind, Square = { kind: "square"; side: number; corners?: &Shape[] }',
  ],
  [
    "Shape[]",
    '&Shape[], Circle = { kind: "circle"; radius: number }, Shape = &Circle | &Square by kind, Square = { kind: "square"; side: number; corners?: &Shape[] }',
  ],
  [
    "Circle | Order",
    '&Circle | &Order, Circle = { kind: "circle"; radius: number }, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["Color", '"red" | "blue"'],
  ["Color.Red", '"red"'],
  ["Level", "0 | 1 | 10"],
  ["Level.High", "1"],
  ["Flag", "1 | 0"],
  ["Color | null", '"red" | "blue" | null'],
  ["keyof Order", '"id" | "total" | "placed" | "note" | "status"'],
  ["keyof typeof limits", '"small" | "large" | "deep"'],
  ["keyof Order & string", '"id" | "total" | "placed" | "note" | "status"'],
  ["typeof version", '"v1"'],
  ["typeof mutable", "string"],
  ["typeof sizes", '["s", "m", "l"]'],
  ["typeof sizes[number]", '"s" | "m" | "l"'],
  ["(typeof sizes)[number][]", '("s" | "m" | "l")[]'],
  ["typeof limits", '{ small: 1; large: 10; deep: { name: "x" } }'],
  ['typeof limits["deep"]', '{ name: "x" }'],
  ["(typeof limits)[keyof typeof limits]", '1 | 10 | { name: "x" }'],
  ["typeof computed", "3"],
  ["typeof Color", '{ Red: "red"; Blue: "blue" }'],
  ["keyof typeof Color", '"Red" | "Blue"'],
  ["Merged", "&Merged, Merged = { a: string; b: number }"],
  [
    "Extended",
    '&Extended, Extended = { extra: boolean; id: string; total: int; placed: date; note?: string; status: "open" | "paid"; street: string; zip?: string }',
  ],
  [
    "Overriding",
    '&Overriding, Overriding = { total: string; id: string; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["Account", "<Account cannot be sent as JSON>"],
  ["Dto", "&Dto, Dto = { tags: string[]; at: date; kind: string; note?: string; id: string; total: int }"],
  [
    "{ d: Dto | null }",
    "{ d: &Dto | null }, Dto = { tags: string[]; at: date; kind: string; note?: string; id: string; total: int }",
  ],
  ['Omit<Dto, "tags" | "at" | "kind">', "{ note?: string; id: string; total: int }"],
  ["Boxed<Int>", "&Boxed<Int>, Boxed<Int> = { value: int; next?: &Boxed<Int> }"],
  ["Hidden", "<Hidden cannot be sent as JSON>"],
  ["Sealed", "<Sealed cannot be sent as JSON>"],
  ["Derived", "<Derived cannot be sent as JSON>"],
  ["{ a: Account }", "<Account cannot be sent as JSON>"],
  ["Local", "&Local, Local = { l: string }"],
  ["Local & { m: string }", "{ l: string; m: string }"],
  [
    "Order & { extra: string }",
    '{ id: string; total: int; placed: date; note?: string; status: "open" | "paid"; extra: string }',
  ],
  [
    "Order & Address",
    '{ id: string; total: int; placed: date; note?: string; status: "open" | "paid"; street: string; zip?: string }',
  ],
  ['Order & { id: "fixed" }', '{ id: "fixed"; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  ["{ a: string } & { a: number }", "<no value has the type never>"],
  ['{ k: "a" } & { k: "b" }', "<no value has the type never>"],
  ["WithBase", '&WithBase, WithBase = { at: date; kind: "a"; a: string } | { at: date; kind: "b"; b: number } by kind'],
  [
    "Event1",
    '&Event1, Event1 = { type: "made"; id: string } | { type: "gone"; at: date } | { type: "moved"; to: &Address } by type, Address = { street: string; zip?: string }',
  ],
  ["Xor", "&Xor, Xor = { a: string; b?: never } | { b: string; a?: never }"],
  ["{ xor: Xor | null }", "{ xor: { a: string; b?: never } | { b: string; a?: never } | null }"],
  ["Never1", "<no value has the type never>"],
  ["{ a: Never1 }", "<no value has the type never>"],
  ["string & {}", "string"],
  ['"a" | (string & {})', "string"],
  ["UserId", "string"],
  ["typeof draftDto", "{ x: int; y?: string }"],
  ["Awaited<ReturnType<typeof findDto>>", "{ x: int; y?: string }"],
  ["InstanceType<typeof Boxed2<string>>", "{ value: string }"],
  ["typeof account", "<Account cannot be sent as JSON>"],
  ["string & { readonly [sym]: true }", "string"],
  ['{ id: string & z.core.$brand<"Id"> }', "{ id: string }"],
  ['{ n: number & z.core.$brand<"N"> }', "{ n: number }"],
  ["Int & { readonly [sym]: true }", "int"],
  ['Date & { readonly _type: "expiry" }', "date"],
  ['Int[] & { readonly __brand: "ids" }', "int[]"],
  ["{ a: string; [sym]?: 1 }", "{ a: string }"],
  ["{ id: UserId; ids: UserId[] }", "{ id: string; ids: string[] }"],
  ["string & { __tag: 1 } & { __other: 2 }", "string"],
  ["number & { __meters: true }", "number"],
  ['Pick<Order, "id" | "total">', "{ id: string; total: int }"],
  ['Pick<Order, "note">', "{ note?: string }"],
  ['Omit<Order, "placed" | "status">', "{ id: string; total: int; note?: string }"],
  ['Omit<Order, "nothing">', '{ id: string; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  ["Partial<Order>", '{ id?: string; total?: int; placed?: date; note?: string; status?: "open" | "paid" }'],
  ["Required<Address>", "{ street: string; zip: string }"],
  ["Readonly<Address>", "&Address, Address = { street: string; zip?: string }"],
  [
    'Partial<Pick<Order, "id">> & Omit<Order, "id">',
    '{ id?: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["Required<{ a?: string | null; b?: number }>", "{ a: string | null; b: number }"],
  ["NonNullable<string | null | undefined>", "string"],
  ['Exclude<Status | "gone", "paid">', '"open" | "gone"'],
  ["Exclude<string | number | null, string>", "number | null"],
  ["Extract<Status | number, string>", '"open" | "paid"'],
  ['Extract<Shape, { kind: "circle" }>', '{ kind: "circle"; radius: number }'],
  [
    'Exclude<Shape, { kind: "circle" }>',
    '&~0, ~0 = { kind: "square"; side: number; corners?: ({ kind: "circle"; radius: number } | &~0 by kind)[] }',
  ],
  ['Exclude<keyof Address, "zip">', '"street"'],
  ["Awaited<Promise<Order>>", '{ id: string; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  ["ReturnType<typeof make>", "{ made: boolean; at: date }"],
  ["Awaited<ReturnType<typeof load>>", "{ id: string; deep: boolean }[]"],
  ["Parameters<typeof load>", "[string, boolean]"],
  ["Parameters<typeof load>[0]", "string"],
  ['Uppercase<"a" | "b">', '"A" | "B"'],
  ["Capitalize<Status>", '"Open" | "Paid"'],
  ["`x-${Status}`", '"x-open" | "x-paid"'],
  ['`${"a" | "b"}-${1 | 2}`', '"a-1" | "a-2" | "b-1" | "b-2"'],
  ["`x-${string}`", "text like x-*"],
  ["`${number}px`", "text like *px"],
  ["`${string}`", "string"],
  ['`${"a" | "b"}:${string}` | null', "text like a:* | text like b:* | null"],
  ["string | `x-${string}`", "string"],
  ["`${`v${number}`}.${bigint}`", "text like v*.*"],
  ["`x-${Uppercase<string>}`", "<fw cannot resolve this type: a template literal type>"],
  ["Tools", "&Tools, Tools = string | number | boolean | null | { [*]: &Tools } | &Tools[]"],
  ["{ j: Tools | undefined }", "{ j?: &Tools }, Tools = string | number | boolean | null | { [*]: &Tools } | &Tools[]"],
  [
    "Expr",
    '&Expr, Expr = { kind: "leaf"; v: number } | { kind: "branch"; left: &Expr | null by kind; right: &Expr | null by kind } by kind',
  ],
  [
    "Branches",
    '&Branches, Branches = { kind: "leaf" } | { kind: "branch"; kids: (&Branches | string by kind)[] } by kind',
  ],
  ["Texts", "&Texts, Texts = string | { [*]: &Texts | null }"],
  [
    "Meta<string>",
    "&Meta<string>, Meta<string> = { value: string; meta?: &Meta<{ tag: string }@shop/model.ts> }, Meta<{ tag: string }@shop/model.ts> = { value: { tag: string }; meta?: &Meta<{ tag: string }@shop/model.ts> }",
  ],
  ["Record<string, never>", "{ [*]: never }"],
  ["{ none: Record<string, never> }", "{ none: { [*]: never } }"],
  ["{ a?: never; b: undefined; c?: undefined }", "{ a?: never; b?: never; c?: never }"],
  ["keyof typeof Level", '"Low" | "High" | "Top"'],
  ["ID & string", "string"],
  ["(Index<Date> & Transient<Date>)[]", "date[]"],
  ["Unwrap<Promise<Order>>", '{ id: string; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  ["Unwrap<Date>", "date"],
  ["{ u: Unwrap<Promise<{ deep: Unwrap<Promise<string>> }>> }", "{ u: { deep: string } }"],
  ["Getters<Address>", "{ getStreet: string; getZip?: string }"],
  ["Nullable<Address>", "&Nullable<Address>, Nullable<Address> = { street: string | null; zip?: string | null }"],
  [
    "Loose<Order>",
    '&Loose<Order>, Loose<Order> = { id?: string; total?: int; placed?: date; note?: string; status?: "open" | "paid" }',
  ],
  ["Strict<Address>", "&Strict<Address>, Strict<Address> = { street: string; zip: string }"],
  ['Choose<Order, "id" | "note">', "{ id: string; note?: string }"],
  [
    "Maybe<Order>",
    '&Maybe<Order>, Maybe<Order> = &Order | null, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["Maybe<string>[]", "(string | null)[]"],
  ["List<string>", "&List<string>, List<string> = string | &List<string>[]"],
  ["Linked<Int>", "&Linked<Int>, Linked<Int> = { value: int; next?: &Linked<Int> }"],
  [
    "Linked<Linked<string>>",
    "&Linked<Linked<string>>, Linked<Linked<string>> = { value: &Linked<string>; next?: &Linked<Linked<string>> }, Linked<string> = { value: string; next?: &Linked<string> }",
  ],
  [
    "Either<Order, string>",
    '&Either<Order,string>, Either<Order,string> = { ok: true; value: &Order } | { ok: false; error: string } by ok, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["Wire", "&Wire, Wire = { a: int64; b: json; c: int[] }"],
  ["O2", '&Order, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  ["model.Order", '&Order, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  ["model.Page<string>", "&Page<string,string>, Page<string,string> = { items: string[]; next: string }"],
  ["model.Color.Red", '"red"'],
  ["model.Inner.Deep", "{ x: string }"],
  ["Inner.Deep", "{ x: string }"],
  ["Renamed", '&Order, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }'],
  ["all.Address", "&Address, Address = { street: string; zip?: string }"],
  ["Default", "&Anonymous, Anonymous = { def: string }"],
  ["Anonymous", "&Anonymous, Anonymous = { def: string }"],
  [
    'import("./shop/model.ts").Order',
    '&Order, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ['import("./shop/model.ts").Page<Date>', "&Page<Date,string>, Page<Date,string> = { items: date[]; next: string }"],
  [
    'import("./shop/index.ts").Renamed',
    '&Order, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ['import("./shop/model.ts").Color', '"red" | "blue"'],
  ['import("fw").Int', "int"],
  ["z.infer<typeof Draft>", '{ title: string; tags: string[]; n?: number; kind: "a" | "b" }'],
  ['z.infer<typeof Draft>["tags"]', "string[]"],
  [
    "z.infer<typeof Draft> & { id: string }",
    '{ title: string; tags: string[]; n?: number; kind: "a" | "b"; id: string }',
  ],
  ["Where", "&Where, Where = { where?: &~1541 }, ~1541 = { AND?: &~1541[]; id?: number }"],
  ["Where2", "&Where2, Where2 = { where: &~1620 | null }, ~1620 = { OR?: (&~1620 | null)[]; id: int }"],
  [
    "Where3<string>",
    "&Where3<string>, Where3<string> = { where?: &~2085{T=string} }, ~2085{T=string} = { v?: string; OR?: &~2085{T=string}[] }",
  ],
  ["Where4", "&Where4, Where4 = { where?: &~2167 }, ~2167 = { a?: string; OR?: &~2167[] }"],
  ["Where5", "&Where5, Where5 = { where?: &~2253 }, ~2253 = { AND?: &~2253[]; OR?: &~2253[] }"],
  [
    "Where6",
    '&Where6, Where6 = { where?: &~2337.0 | &~2337.1 by k }, ~2337.0 = { k: "a"; OR?: (&~2337.0 | &~2337.1 by k)[] }, ~2337.1 = { k: "b"; n: int; OR?: (&~2337.0 | &~2337.1 by k)[] }',
  ],
  ["Where7", "&Where7, Where7 = { where?: &~2440 }, ~2440 = { a: string; OR: &~2440[] }"],
  ["Kids", "&Kids, Kids = { n: &~1683 }, ~1683 = { kids: &~1683[]; v: int }"],
  ["Self", "&Self2, Self = { s: &Self | null }, Self2 = { s: &Self | null }"],
  ["Grow<string>", "<this type nests too deeply to be read>"],
  ["Map<string, number>", "<Map cannot be sent as JSON>"],
  ["Set<string>", "<Set cannot be sent as JSON>"],
  ["ReadonlyMap<string, Order>", "<ReadonlyMap cannot be sent as JSON>"],
  ["Promise<string>", "<Promise cannot be sent as JSON>"],
  ["RegExp", "<RegExp cannot be sent as JSON>"],
  ["Uint8Array", "<Uint8Array cannot be sent as JSON>"],
  ["Error", "<Error cannot be sent as JSON>"],
  ["URL", "<URL cannot be sent as JSON>"],
  ["FwBlob", "<a Blob cannot be part of a JSON value>"],
  ["{ file: FwBlob }", "<a Blob cannot be part of a JSON value>"],
  ["Array<() => void>", "<a function cannot be sent as JSON>"],
  ["Record<string, any>", "<any cannot be sent as JSON>"],
  ["Record<string, Map<string, string>>", "<Map cannot be sent as JSON>"],
  ["Partial<Record<Status, number>>", "{ open?: number; paid?: number }"],
  ["Readonly<Record<string, readonly string[]>>", "{ [*]: string[] }"],
  ["Order | undefined", "<undefined inside a value cannot be sent as JSON>"],
  ['{ q: Query<"a"> }', '{ q: "a" }'],
  [
    '{ [K in keyof Order as K extends "id" ? never : K]: Order[K] }',
    '{ total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["Order extends { id: string } ? Address : Date", "{ street: string; zip?: string }"],
  ['{ a: string; a2: Order["status"] }[]', '{ a: string; a2: "open" | "paid" }[]'],
  [
    "(Order | Address)[]",
    '(&Order | &Address)[], Address = { street: string; zip?: string }, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  [
    '{ kind: "x" | "y"; a: string } | { kind: "z"; b: string }',
    '{ kind: "x" | "y"; a: string } | { kind: "z"; b: string } by kind',
  ],
  ["{ t: 1; a: string } | { t: 2; b: string }", "{ t: 1; a: string } | { t: 2; b: string } by t"],
  ["{ t: true; a: string } | { t: false; b: string }", "{ t: true; a: string } | { t: false; b: string } by t"],
  ['{ t: null; a: string } | { t: "x" }', '{ t: null; a: string } | { t: "x" }'],
  ["{ a: string } | { b: string }", "{ a: string } | { b: string }"],
  ["{ a: string }[] | { b: string }", "{ a: string }[] | { b: string }"],
  [
    "NoInfer<Order>",
    '&Order, Order = { id: string; total: int; placed: date; note?: string; status: "open" | "paid" }',
  ],
  ["Int | null", "int | null"],
  ['Int | "all"', 'int | "all"'],
  ["Date | string", "date | string"],
  ["Int64 | null", "int64 | null"],
  ["Json[]", "json[]"],
  ["{ a?: Json }", "{ a?: json }"],
  ["Record<string, Json>", "{ [*]: json }"],
  ["Record<never, string>", "{}"],
  ["unique symbol", "<a unique symbol cannot be sent as JSON>"],
  ["this", "<TypeScript cannot resolve this type>"],
  [
    "Partial<Shape>",
    '{ kind?: "circle"; radius?: number } | { kind?: "square"; side?: number; corners?: &~11 }, ~11 = ({ kind: "circle"; radius: number } | { kind: "square"; side: number; corners?: &~11 } by kind)[]',
  ],
  ['Pick<Shape, "kind">', '{ kind: "circle" | "square" }'],
  ["keyof Shape", '"kind"'],
  ['Shape["kind"]', '"circle" | "square"'],
  ['Deep0["v" | "v"]', "string"],
  ["Missing", "<TypeScript cannot resolve this type>"],
  ["Missing<string>", "<TypeScript cannot resolve this type>"],
  ["model.Missing", "<TypeScript cannot resolve this type>"],
  ['import("./nowhere.ts").X', "<TypeScript cannot resolve this type>"],
  ["Page", "<TypeScript cannot resolve this type>"],
  ['Tree["children"][number]["name"]', "string"],
  ["[string, number][0]", "string"],
  ['[string, number]["length"]', "2"],
  ["{ [key: `x-${string}`]: string }", "<fw cannot resolve this type: an object whose keys are not plain strings>"],
  ["(((string)))", "string"],
  [
    "Array<Array<Page<Maybe<Tree>>>>",
    "&Page<Maybe<Tree>,string>[][], Maybe<Tree> = &Tree | null, Page<Maybe<Tree>,string> = { items: &Maybe<Tree>[]; next: string }, Tree = { name: string; children: &Tree[] }",
  ],
];
