import { expect, test } from "vitest";
import { openAnalyzer } from "./index.ts";
import { writeApp } from "./testing/app.ts";

test("descriptions of unchanged modules stay the same objects after a save, others follow it", async () => {
  await using app = await writeApp(`-- package.json --
{ "name": "shop", "type": "module" }
-- items.ts --
import { API } from "fw";
/** An item. */
export interface Item { name: string }
/** Lists items. */
export const items = API("GET /items", (): Item[] => []);
-- orders.ts --
import { API } from "fw";
/** An order. */
export interface Order { id: string }
export const orders = API("GET /orders", (): Order[] => []);
`);
  const analyzer = openAnalyzer(app.root);
  try {
    await analyzer.analyze();
    const before = await analyzer.descriptions();
    expect([...before.declarations]).toEqual([["items.ts#items", "Lists items."]]);
    await app.write(
      "orders.ts",
      `import { API } from "fw";
/** An order of a customer. */
export interface Order { id: string }
/** Lists orders. */
export const orders = API("GET /orders", (): Order[] => []);
`,
    );
    await analyzer.update([{ path: "orders.ts", kind: "changed" }]);
    const after = await analyzer.descriptions();
    expect(after.types.get("items.ts#Item")).toMatchObject({ doc: "An item.", at: { path: "items.ts", line: 3 } });
    expect(after.types.get("items.ts#Item")).toBe(before.types.get("items.ts#Item"));
    expect(after.types.get("orders.ts#Order")).toMatchObject({ doc: "An order of a customer." });
    expect([...after.declarations.values()]).toEqual(["Lists items.", "Lists orders."]);
  } finally {
    analyzer.close();
  }
});
