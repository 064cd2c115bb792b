import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { bin } from "./support/build.ts";
import { ask, launchDev, writeApplication, type Dev } from "./support/dev-app.ts";

vi.setConfig({ testTimeout: 600_000 });

const files = {
  "web/web.ts": `import { API } from "fw";
export const hello = API("GET /hello", (ctx): string => { ctx.log.info("greeted"); console.log("printed"); return \`hello from \${process.pid}\`; });
`,
};

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly err: string;
}

/** Starts a command whose standard output is not read beyond its first text. */
function launchUnread(
  root: string,
  ...args: readonly string[]
): { readonly firstOutput: Promise<unknown>; readonly end: Promise<ProcessEnd> } {
  const child = spawn(process.execPath, [bin, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  return { firstOutput: closeAfterFirst(child.stdout), end: endOf(child) };
}

async function closeAfterFirst(stream: Readable): Promise<void> {
  await once(stream, "data");
  stream.destroy();
  await once(stream, "close");
}

async function endOf(child: ChildProcess): Promise<ProcessEnd> {
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return { code, signal, err };
}

/** Closes both outputs of a server process, which must still answer requests that print. */
async function closeOutputs(child: ChildProcess): Promise<void> {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.destroy();
    if (stream?.closed === false) await once(stream, "close");
  }
}

test("a command and a dev server outlive the readers of their output, and fw logs --follow ends with its reader", async () => {
  const root = writeApplication(files);
  await using dev: Dev = launchDev(root, []);
  await dev.says("http://localhost:");
  const { port } = dev;
  const greet = async (): Promise<string> => (await ask(port, "/hello")).body;
  const first = await greet();
  const logs = launchUnread(root, "logs", "--follow");
  await logs.firstOutput;
  const graph = launchUnread(root, "gen", "graph", "--json");
  expect(await graph.end).toEqual({ code: 0, signal: null, err: "" });
  const devEnd = endOf(dev.process);
  await closeOutputs(dev.process);
  // The application's process prints, and the other command follows the log.
  for (let request = 0; request < 3; request++) expect(await greet()).toBe(first);
  expect(await logs.end).toEqual({ code: 0, signal: null, err: "" });
  // The dev server prints the error in the first save.
  dev.write({ "web/web.ts": "export const hello = ;\n" });
  await dev.eventually("/hello", ({ status }) => status === 200);
  dev.write({
    "web/more.ts": `import { API } from "fw";\nexport const more = API("GET /more", (): string => "more");\n`,
    ...files,
  });
  await dev.eventually("/more", ({ status }) => status === 200);
  dev.process.kill("SIGINT");
  expect(await devEnd).toMatchObject({ code: 0, signal: null });
});
