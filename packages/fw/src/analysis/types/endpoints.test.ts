import { describe, expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

/** Returns the field names in the response of an application's only endpoint. */
async function answered(text: string): Promise<readonly string[]> {
  const { app, diagnostics } = await bench.analyze(text);
  expect(diagnostics).toEqual([]);
  const [endpoint] = app.packages.flatMap(endpointsOf);
  const response = endpoint?.response.kind === "ref" ? app.types[endpoint.response.id] : endpoint?.response;
  return response?.kind === "object" ? response.fields.map(({ name }) => name) : [];
}

const orders = `-- shop/orders.ts --
import { API } from "fw";
export interface Order { id: string }
export const get = API("GET /order", (): Order => ({}) as Order);
`;

describe("what a declaration file adds to a type of the application", () => {
  test("counts where it names the module", async () => {
    const more = `-- shop/more.d.ts --\nexport {};\ndeclare module "./orders.ts" { interface Order { note: string } }\n`;
    expect((await answered(orders + more)).toSorted()).toEqual(["id", "note"]);
  });

  test.each([
    ["another module", 'export {};\ndeclare module "fw" { interface Order { note: string } }'],
    ["the global scope", "export {};\ndeclare global { interface Order { note: string } }"],
    ["a script", "interface Order { note: string }"],
    ["another file of the application", 'export {};\ndeclare module "./other.ts" { interface Order { note: string } }'],
  ])("does not count for an interface, alias or class of fields of the same name in %s", async (_where, text) => {
    const more = `-- shop/other.ts --\nexport interface Order { other: string }\n-- shop/more.d.ts --\n${text}\n`;
    for (const declaration of [
      "interface Order { id: string }",
      "type Order = { id: string };",
      'class Order { id = "" }',
    ])
      expect(await answered(orders.replace("interface Order { id: string }", declaration) + more)).toEqual(["id"]);
  });

  test("no longer counts once the file is gone", async () => {
    const more = `-- shop/more.d.ts --\nexport {};\ndeclare module "./orders.ts" { interface Order { note: string } }\n`;
    await answered(orders + more);
    expect(await answered(orders)).toEqual(["id"]);
  });
});
