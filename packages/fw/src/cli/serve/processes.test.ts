import { expect, test } from "vitest";
import { openAnalyzer } from "../../analysis/index.ts";
import { writeApp } from "../../analysis/testing/app.ts";
import { processCounts, readProcesses } from "./processes.ts";

const office = `
-- package.json --
{ "name": "office", "type": "module" }
-- desk/desk.ts --
import { API, Job, Queue, Runner, Singleton, Worker } from "fw";
export const letters = Queue<string>("letters");
export const counts = Queue<string>("counts");
export const audits = Job<string>("audits");
export const front = API("GET /", () => "open");
export const deliver = Worker(letters, () => {});
export const count = Worker(counts, () => {}, { traffic: { maxInstances: 2 } });
export const audit = Runner(audits, () => {});
export const clock = Singleton("clock", () => {});
-- hall/hall.ts --
import { type Connection, Socket } from "fw";
export const hall = Socket("GET /hall", async (_ctx, _req: {}, socket: Connection<string, string>) => {
  for await (const text of socket) await socket.send(text);
});
`;

test("--processes is a number, or one for each processor", () => {
  expect([readProcesses("3", 8), readProcesses("auto", 8), readProcesses("auto", 500)]).toEqual([3, 8, 64]);
  for (const text of ["0", "65", "-1", "1.5", "two", ""]) expect(() => readProcesses(text, 8)).toThrow("neither auto");
});

test("a singleton, a runner and a service with sockets have one process, and no service more than its most instances", async () => {
  await using app = await writeApp(office);
  const analyzer = openAnalyzer(app.root);
  const { app: model } = await analyzer.analyze();
  analyzer.close();
  expect(Object.fromEntries(processCounts(model, 4))).toEqual({
    desk: 4,
    "desk-deliver": 4,
    "desk-count": 2,
    "desk-audit": 1,
    "desk-clock": 1,
    hall: 1,
  });
});
