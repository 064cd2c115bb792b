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
