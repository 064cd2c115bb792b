import { once } from "node:events";
import { Session } from "node:inspector/promises";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { apis, bundleOf, start } from "./testing/app.ts";

/** The maximum number of fw files on the path of a JSON POST, from socket to response. */
const mostFiles = 24;

/** Matches files that do not count: helpers, and a module of constants, whose exports vite turns into functions. */
const leftOut = /\/testing\/|\.test\.ts|\/capabilities\.ts/;

test("a JSON POST runs through few files", async () => {
  await using app = await start(bundleOf(apis({ "POST /echo": { carries: "json", run: () => ({ a: 1 }) } })));
  const socket = connect(app.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const body = `{"name":"ada"}`;
  const post = async (): Promise<string> => {
    socket.write(
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const [bytes] = (await once(socket, "data")) as [Buffer];
    return bytes.toString();
  };
  await post();
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  expect(await post()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\{"a":1\}$/);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = result
    .filter(({ url }) => url.includes("/packages/fw/src/") && !leftOut.test(url))
    .filter(({ functions }) => functions.slice(1).some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => url.replace(/.*\/packages\/fw\/src\//, "").replace(/\?.*/, ""));
  expect(files).toContain("runtime/respond.ts");
  expect(new Set(files).size, files.toSorted().join("\n")).toBeLessThanOrEqual(mostFiles);
});
