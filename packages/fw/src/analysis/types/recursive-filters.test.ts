import { expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import type { Schema, TypeTable } from "../../model/schema.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const prisma = `
export interface StringFilter { equals?: string; in?: string[]; not?: StringFilter | string }
export type UserWhere = { AND?: UserWhere | UserWhere[]; name?: StringFilter | string; posts?: { some?: PostWhere } };
export type PostWhere = { OR?: PostWhere[]; title?: StringFilter | string; author?: UserWhere };
export type Args = { where?: UserWhere; cursor?: Args["where"]; OR?: NonNullable<Args["where"]>[] };
`;
const prismaGeneric = `
type Filter<V> = V extends string ? string | { contains?: string } : V extends number ? number | { gt?: number } : never;
type Find<T> = { where?: { [K in keyof T]?: Filter<T[K]> } & { OR?: NonNullable<Find<T>["where"]>[] } };
interface User { name: string; age: number }
export type Args = Find<User>;
`;
const drizzle = `
type Raw = { OR?: NonNullable<Config["where"]>[]; NOT?: Config["where"]; name?: string | { eq?: string } };
export type Config = { columns?: { [k: string]: boolean }; where?: Raw; with?: { [k: string]: boolean | Config } };
export type Args = Config;
`;
const drizzleTables = `
type Relations<T> = { where?: Partial<T> & { AND?: NonNullable<Relations<T>["where"]>[] }; limit?: number };
export type Args = Relations<{ id: number; title: string }>;
`;

test.each([
  ["Prisma's", prisma],
  ["Prisma's, generic", prismaGeneric],
  ["Drizzle's", drizzle],
  ["Drizzle's, generic", drizzleTables],
])("a filter that recurs through an indexed access is read: %s where", async (_whose, types) => {
  const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --
import { API, type Context } from "fw";
${types}
export const find = API("POST /find", (_ctx: Context, req: { args: Args }): Args => req.args);
export const where = API("POST /where", (_ctx: Context, req: { where: Args["where"] }) => ({ where: req.where ?? null }));
`);
  expect(diagnostics).toEqual([]);
  const responses = app.packages.flatMap(endpointsOf).map(({ response }) => response);
  expect(responses).toHaveLength(2);
  for (const response of responses) expect(isRecursive(response, app.types), JSON.stringify(response)).toBe(true);
});

/** True if some named part of a schema contains itself. */
function isRecursive(schema: Schema, types: TypeTable, path: readonly string[] = []): boolean {
  const refs = [...JSON.stringify(schema).matchAll(/"kind":"ref","id":("(?:[^"\\]|\\.)*")/g)].map(
    ([, id = ""]) => JSON.parse(id) as string,
  );
  return refs.some((id) => {
    const target = types[id];
    return path.includes(id) || (target !== undefined && isRecursive(target, types, [...path, id]));
  });
}
