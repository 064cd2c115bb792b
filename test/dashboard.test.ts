import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fw, fwIn } from "../packages/fw/src/cli/testing/run.ts";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startServe, type Served } from "./support/served.ts";

const key = "a password of operators";
let root: string;
let server: Served;
let dashboard: string;

beforeAll(async () => {
  root = writeApplication({
    "shop/shop.ts": `import { API, Auth, Cron, Entity, type ID } from "fw";
export const auth = Auth({ password: true });
export const swept = Entity<{ id: ID; key: string }>("swept");
export const list = API("GET /swept", async (ctx) => (await swept.query().all(ctx)).length);
export const key = API("GET /key", () => process.env["FW_DASHBOARD_KEY"] ?? "withheld");
export const sweep = Cron("sweep", "0 4 * * *", (ctx) => swept.create(ctx, { key: "x" }).then(() => {}));
`,
  });
  await build(root);
  server = await startServe(["--dashboard", "0"], { cwd: root, env: { FW_DASHBOARD_KEY: key } });
  dashboard = String(server.lines('"dashboard"')[0]?.["url"]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

function request(path: string, password: string, init: RequestInit = {}): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`ann:${password}`).toString("base64")}`;
  return fetch(dashboard + path, { ...init, headers: { authorization, ...init.headers } });
}

/** Calls an operation as the page does. */
async function operate(name: string, input: object = {}): Promise<{ status: number; body: unknown }> {
  const page = await (await request("/_fw/console", key)).text();
  const token = /name="fw-console" content="([^"]+)"/.exec(page)?.[1] ?? "";
  const answer = await request(`/_fw/console/api/${name}`, key, {
    method: "POST",
    headers: { "x-fw-console": token },
    body: JSON.stringify(input),
  });
  return { status: answer.status, body: await answer.json() };
}

test("only clients with the key reach the dashboard, which the application's port does not have", async () => {
  expect((await fetch(`${dashboard}/_fw/console`)).status).toBe(401);
  expect((await request("/_fw/console", "another password")).status).toBe(401);
  expect((await request("/", key)).url).toBe(`${dashboard}/_fw/console`);
  const own = { headers: { authorization: `Basic ${Buffer.from(`ann:${key}`).toString("base64")}` } };
  expect((await fetch(`${server.url}/_fw/console`, own)).status).toBe(404);
  expect(await (await fetch(`${server.url}/key`)).json()).toBe("withheld");
});

test("operators see counts of all services, and nothing of what commands cannot do", async () => {
  await fetch(`${server.url}/swept`);
  const { body } = await operate("metrics");
  expect(JSON.stringify(body)).toContain("GET /swept");
  expect((await operate("model")).body).toMatchObject({ graph: { services: [{ crons: [{ name: "sweep" }] }] } });
  for (const name of ["documents", "documents/save", "call", "jobs/start", "objects/read"])
    expect({ name, ...(await operate(name)) }).toMatchObject({ name, status: 404 });
});

test("what an operator changes is in the log, with the operator's name", async () => {
  expect(await operate("crons/run", { name: "sweep" })).toMatchObject({ status: 200 });
  expect(await (await fetch(`${server.url}/swept`)).json()).toBe(1);
  expect(server.lines("operator ann")).toMatchObject([
    { message: "operator ann: crons/run", operator: "ann", operation: "crons/run", input: { name: "sweep" } },
  ]);
});

test("a dashboard without a password, or of data that several machines share, is refused", async () => {
  const lacks = await fw(root, "serve", "--dashboard", "0");
  expect(lacks).toMatchObject({
    code: 2,
    err: expect.stringContaining("set FW_DASHBOARD_KEY to at least 16 characters"),
  });
  const shared = ["serve", "--dashboard", "0", "--database", "postgres://localhost/nothing"];
  const refused = await fwIn({ FW_DASHBOARD_KEY: key }, [], root, ...shared);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("shows the data of one machine") });
});
