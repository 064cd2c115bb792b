import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Snapshot } from "../../workspace/snapshot.ts";
import type { Activation } from "../protocol.ts";
import type { Exit } from "./process.ts";
import { Supervisor, type SupervisedProcess } from "./supervisor.ts";

/** A process that loads everything at once, and that a test can crash. */
class TestProcess implements SupervisedProcess {
  readonly exited: Promise<Exit>;
  readonly pid: number = 1;
  readonly missedPings: number = 0;
  readonly isEnded: boolean = false;
  /** The generated modules in the process's last load. */
  files: unknown;
  crash: () => void = () => {};

  constructor() {
    this.exited = new Promise((resolve) => {
      this.crash = () => resolve({ code: 1, signal: null, failure: undefined });
    });
  }

  load: SupervisedProcess["load"] = async ({ files }) => {
    this.files = files;
    return { kind: "loaded", evaluated: 1 };
  };
  prepare: SupervisedProcess["prepare"] = () => {};
  activate: SupervisedProcess["activate"] = async () => {};
  connection: SupervisedProcess["connection"] = async () => true;
  drain: SupervisedProcess["drain"] = async () => {};
  ahead: SupervisedProcess["ahead"] = () => {};
  publish: SupervisedProcess["publish"] = () => {};
  ping: SupervisedProcess["ping"] = () => {};
  end: SupervisedProcess["end"] = () => {};
  kill: SupervisedProcess["kill"] = () => {};
}

const snapshot: Snapshot = { entry: "/app/main.js", files: {}, sources: {}, exposed: {} };
const activation: Activation = {
  root: "/app",
  hosts: { listensOn: "127.0.0.1", allowedHosts: [] },
  data: { directory: "/app/.fw/data" },
  seeds: "never",
  env: {},
  csrfKey: "",
  callKey: "",
  inspect: undefined,
};

let processes: TestProcess[];
let supervisor: Supervisor;
let recoveries: number;

beforeEach(() => {
  vi.useFakeTimers();
  processes = [];
  recoveries = 0;
  supervisor = new Supervisor({
    spawn: () => {
      const process = new TestProcess();
      processes.push(process);
      return process;
    },
    activation: () => activation,
    route: () => {},
    events: {
      crashed: () => {},
      recovered: () => void recoveries++,
      gaveUp: () => {},
      hung: () => {},
      slow: () => {},
    },
  });
});

afterEach(() => {
  supervisor.kill();
  vi.useRealTimers();
});

test("the first load leaves out modules that its process has received, and a later process gets all", async () => {
  supervisor.prepare({ files: { "fw:same": "1", "fw:changed": "1", "fw:gone": "1" } });
  const generated = { ...snapshot, files: { "fw:same": "1", "fw:changed": "2", "fw:new": "3" } };
  const { signal } = new AbortController();
  await supervisor.load(generated, { changed: [], pathsChanged: false }, 1, signal);
  await supervisor.restart(generated, 2, signal);
  expect(processes.map(({ files }) => files)).toEqual([
    { "fw:changed": "2", "fw:new": "3", "fw:gone": null },
    generated.files,
  ]);
});

test("a standby process that crashes while it prepares modules is replaced for the first load", async () => {
  supervisor.prepare({ files: { "fw:same": "1" } });
  processes[0]?.crash();
  await vi.advanceTimersByTimeAsync(0);
  const generated = { ...snapshot, files: { "fw:same": "1" } };
  await supervisor.load(generated, { changed: [], pathsChanged: false }, 1, new AbortController().signal);
  expect(processes.map(({ files }) => files)).toEqual([undefined, generated.files]);
});

const load = async (): Promise<void> => {
  const outcome = await supervisor.load(
    snapshot,
    { changed: [], pathsChanged: false },
    1,
    new AbortController().signal,
  );
  expect(outcome.kind).toBe("loaded");
};

test("an application that does not change has no standby process", async () => {
  await load();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(processes).toHaveLength(1);
});

test("some seconds after the last of several saves, a standby process starts", async () => {
  await load();
  await load();
  await vi.advanceTimersByTimeAsync(4_999);
  await load();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(processes).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(processes).toHaveLength(2);
  await load();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(processes).toHaveLength(2);
});

test("a crash starts a process at once, and then a standby process for the next crash", async () => {
  await load();
  await vi.advanceTimersByTimeAsync(3_600_000);
  processes[0]?.crash();
  await vi.waitFor(() => expect(recoveries).toBe(1));
  expect(processes).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(processes).toHaveLength(3);
  processes[1]?.crash();
  await vi.waitFor(() => expect(recoveries).toBe(2));
  expect(processes).toHaveLength(3);
});
