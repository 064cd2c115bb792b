import { expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const api = (path: string): string =>
  `-- ${path} --\nimport { API } from "fw";\nexport const list = API("GET /${path}", () => []);\n`;

test("two directories of one name would be one service, and are told at the later one", async () => {
  expect(await bench.print(api("admin/orders/a.ts") + api("shop/orders/a.ts"))).toEqual([
    'shop/orders/a.ts:2:14: the directories "admin/orders" and "shop/orders" are both the service "orders" (package)',
  ]);
});

test("a directory that declares nothing is no service", async () => {
  const helper = "-- admin/orders/a.ts --\nexport const a = 1;\n";
  expect(await bench.print(helper + api("shop/orders/a.ts"))).toEqual([]);
});

test("a directory named like the application clashes with the root", async () => {
  const [line] = await bench.print(api("a.ts") + api("shop/app/a.ts"));
  expect(line).toContain('are both the service "app" (package)');
});
