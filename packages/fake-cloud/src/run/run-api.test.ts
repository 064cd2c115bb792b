import { Agent, createServer, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunTask } from "./execution.ts";
import { member, project, testCloud } from "../testing/client.ts";
import { testService } from "../testing/service.ts";

const api = "https://run.googleapis.com/v2/projects/demo-fw/locations/europe-west1";
const address = "https://shop-123456789012.europe-west1.run.app";
let cloud: Awaited<ReturnType<typeof testCloud>>;

beforeEach(async () => {
  cloud = await testCloud();
});
afterEach(() => cloud.stop());

test("a private service is reached with a token for it, of an account that may", async () => {
  const service = await testService();
  cloud.run({ name: "shop", serviceAccount: member, url: service.url, public: false });
  const status = async (audience?: string): Promise<number> => {
    const token = audience === undefined ? undefined : await cloud.cloud.tokens.id(member, audience);
    return (
      await cloud.ask(`${address}/orders?a=b`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      })
    ).status;
  };
  expect([await status(), await status(address)]).toEqual([403, 403]);
  cloud.grant(`serviceAccount:${member}`, "roles/run.invoker", cloud.cloud.services.resource("shop"));
  expect([await status(), await status("https://other.example"), await status(address)]).toEqual([403, 401, 200]);
  expect(service.received.map(({ url, headers }) => [url, headers["host"], headers["x-forwarded-proto"]])).toEqual([
    ["/orders?a=b", address.slice(8), "https"],
  ]);
  service.stop();
});

test("a public service sees who calls as the last address of the list", async () => {
  const service = await testService();
  cloud.run({ name: "shop", serviceAccount: member, url: service.url, public: true });
  await cloud.ask(address, { headers: { "x-forwarded-for": "10.0.0.1" } });
  expect(service.received[0]?.headers["x-forwarded-for"]).toBe("10.0.0.1, 127.0.0.1");
  expect((await cloud.ask("https://none-123456789012.europe-west1.run.app/")).status).toBe(404);
  service.stop();
});

test("a service that answers before it has read the body is heard, the visitor's connection goes on, and the service's does not", async () => {
  const closed: Socket[] = [];
  const server = createServer((received, answer) => {
    received.socket.once("close", () => closed.push(received.socket));
    if (received.method === "POST") answer.writeHead(413, { "content-length": 9 }).end("too large");
    else answer.end("here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cloud.run({ name: "shop", serviceAccount: member, url, public: true });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, body?: Buffer): Promise<readonly [status: number | undefined, text: string]> =>
    new Promise((resolve, reject) => {
      const outgoing = request(cloud.url, { agent, method, headers: { host: address.slice(8) } }, (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
        answer.on("end", () => resolve([answer.statusCode, text]));
      });
      outgoing.on("error", reject).end(body);
    });
  expect(await ask("POST", Buffer.alloc(32 * 1024 * 1024))).toEqual([413, "too large"]);
  expect(await ask("GET")).toEqual([200, "here"]);
  await expect.poll(() => closed.length).toBe(1);
  agent.destroy();
  server.close();
  server.closeAllConnections();
});

test("a job runs each of its tasks until it succeeds or has failed too often", async () => {
  const tasks: RunTask[] = [];
  cloud.runJob({
    name: "rebuild",
    serviceAccount: member,
    maxRetries: 1,
    start: (task) => {
      tasks.push(task);
      return Promise.resolve(task.env["CLOUD_RUN_TASK_INDEX"] === "0" || task.env["CLOUD_RUN_TASK_ATTEMPT"] === "1");
    },
  });
  cloud.grant(
    `serviceAccount:${member}`,
    "roles/run.jobsExecutor",
    "//run.googleapis.com/projects/demo-fw/locations/europe-west1/jobs/rebuild",
  );
  const overrides = { taskCount: 2, containerOverrides: [{ env: [{ name: "FW_ARGS", value: "{}" }] }] };
  expect((await cloud.ask(`${api}/jobs/rebuild:run`, { as: member, body: { overrides } })).status).toBe(403);
  cloud.grant(
    `serviceAccount:${member}`,
    "roles/run.jobsExecutorWithOverrides",
    "//run.googleapis.com/projects/demo-fw/locations/europe-west1/jobs/rebuild",
  );
  const { json } = await cloud.ask(`${api}/jobs/rebuild:run`, { as: member, body: { overrides } });
  expect(json).toMatchObject({ done: false, metadata: { taskCount: 2 } });
  await cloud.clock.settled();
  const indexes = tasks.map(
    ({ env }) =>
      `${env["CLOUD_RUN_TASK_INDEX"]}/${env["CLOUD_RUN_TASK_COUNT"]} ${env["CLOUD_RUN_TASK_ATTEMPT"]} ${env["FW_ARGS"]}`,
  );
  expect(indexes.toSorted()).toEqual(["0/2 0 {}", "1/2 0 {}", "1/2 1 {}"]);
  cloud.grant(`serviceAccount:${member}`, "roles/run.viewer", project);
  const operation = await cloud.ask(`https://run.googleapis.com/v2/${(json as { name: string }).name}`, { as: member });
  expect(operation.json).toMatchObject({ done: true, response: { succeededCount: 2, retriedCount: 1 } });
});
