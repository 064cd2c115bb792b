import { expect, test } from "vitest";
import { allOfKind } from "../../model/declarations.ts";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

test("the type of a declaration may be given before its call", async () => {
  await using app = await writeTypedApp(`-- a.ts --
import { Entity, Queue, Worker, type ID, type Index } from "fw";
interface Order { id: ID; status: Index<string> }
const Orders = Entity<Order>;
const Again = Orders;
export const orders = Orders("orders");
export const archive = Again("archive");
export const drafts = (Entity<Order>)("drafts");
const Mails = Queue<{ to: string }>;
export const mails = Mails("mails");
export const send = Worker(mails, async () => {});
`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { app: model, diagnostics } = await analyzer.analyze();
    expect(diagnostics).toEqual([]);
    const entities = allOfKind(model.packages, "entity");
    expect(entities.map(({ id, indexed }) => [id, indexed.map(({ name }) => name)])).toEqual([
      ["id", ["status"]],
      ["id", ["status"]],
      ["id", ["status"]],
    ]);
  } finally {
    analyzer.close();
  }
});

test("the type may be given in another module, or in a literal", async () => {
  await using app = await writeTypedApp(`-- shop/types.ts --
import { Entity, Queue, type ID, type Index } from "fw";
export interface Order { id: ID; status: Index<string> }
export const Orders = Entity<Order>;
export const kit = { Orders: Orders, Mails: Queue<{ to: string }> };
export default Queue<{ from: string }>;
-- shop/shop.ts --
import { Worker } from "fw";
import Parcels, { kit, Orders } from "./types.ts";
import * as types from "./types.ts";
export const orders = Orders("orders");
export const archive = types.Orders("archive");
export const drafts = kit.Orders("drafts");
export const mails = kit.Mails("mails");
export const parcels = Parcels("parcels");
export const send = Worker(mails, async () => {});
export const bring = Worker(parcels, async () => {});
`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { app: model, diagnostics } = await analyzer.analyze();
    expect(diagnostics).toEqual([]);
    const entities = allOfKind(model.packages, "entity");
    expect(entities.map(({ indexed }) => indexed.map(({ name }) => name))).toEqual([
      ["status"],
      ["status"],
      ["status"],
    ]);
    const queues = allOfKind(model.packages, "queue").map(({ message }) => message);
    const fields = (name: string): unknown => ({
      kind: "object",
      fields: [{ name, schema: { kind: "string" }, optional: false }],
    });
    expect(queues).toEqual([fields("to"), fields("from")]);
    await app.write(
      "shop/types.ts",
      `import { Entity, Queue, type ID } from "fw";
export const Orders = Entity<{ id: ID; other: string }>;
export const kit = { Orders: Orders, Mails: Queue<{ to: string }> };
export default Queue<{ from: string }>;
`,
    );
    const after = await analyzer.update([{ path: "shop/types.ts", kind: "changed" }]);
    expect(allOfKind(after.app.packages, "entity").map(({ indexed }) => indexed)).toEqual([[], [], []]);
  } finally {
    analyzer.close();
  }
});
