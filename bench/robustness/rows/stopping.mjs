import { descendants, pause, runs, startDev, startServer, until } from "../process.mjs";
import { ask, exchange } from "../wire.mjs";

export const stopping = [
  {
    name: "200 requests in flight at SIGTERM",
    bound: "0 errors, exit 0",
    run: ({ workspace }) => inFlight(startServer(workspace), "SIGTERM"),
  },
  {
    name: "200 requests in flight at Ctrl-C of fw dev",
    bound: "0 errors, exit 0",
    after: "dev",
    run: ({ workspace }) => inFlight(startDev(workspace), "SIGINT"),
  },
  {
    name: "a stuck request at SIGTERM is cut",
    bound: "7 s +- 0.5 s, exit < 10 s",
    run: async ({ workspace }) => {
      const server = await startServer(workspace, { flushMs: 60_000 });
      const answer = exchange(server.port, "GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n", { ms: 15_000 });
      await pause(200);
      const started = performance.now();
      const ended = server.kill("SIGTERM");
      await answer;
      const cut = (performance.now() - started) / 1000;
      const code = await ended;
      const total = (performance.now() - started) / 1000;
      const floor = total - cut;
      return {
        measured: `cut ${cut.toFixed(2)} s, flush had ${floor.toFixed(1)} s, exit ${code} at ${total.toFixed(1)} s`,
        ok: Math.abs(cut - 7) < 0.5 && floor >= 1 && total < 10 && code === 0,
      };
    },
  },
  {
    name: "after a drain of 7 s a flush of 0.95 s",
    bound: "completes",
    run: async ({ workspace }) => {
      const server = await startServer(workspace, { flushMs: 950 });
      const answer = exchange(server.port, "GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n", { ms: 15_000 });
      await pause(200);
      const code = await server.kill("SIGTERM");
      await answer;
      const ok = server.output().includes("flushed") && code === 0;
      return { measured: ok ? "completed" : server.output().slice(-200), ok };
    },
  },
  {
    name: "a second Ctrl-C ends the process",
    bound: "< 0.5 s",
    run: ({ workspace }) => secondInterrupt(startServer(workspace)),
  },
  {
    name: "a second Ctrl-C ends fw dev and its children",
    bound: "< 0.5 s",
    after: "dev",
    run: ({ workspace }) => secondInterrupt(startDev(workspace)),
  },
  {
    name: "kill -9 of fw dev, 3 times",
    bound: "no process left; next start serves",
    after: "dev",
    run: async ({ workspace }) => {
      let port = 0;
      let left = 0;
      const statuses = [];
      for (let round = 0; round < 3; round++) {
        const dev = await startDev(workspace, { port });
        port = dev.port;
        statuses.push((await ask(port, "/office")).status);
        const children = descendants(dev.pid);
        await dev.kill("SIGKILL");
        await until(() => !children.some(runs), 3000, "the children to end").catch(
          () => (left += children.filter(runs).length),
        );
      }
      return {
        measured: `${left} left, ${statuses.join(" ")}`,
        ok: left === 0 && statuses.every((each) => each === 200),
      };
    },
  },
];

async function inFlight(starting, signal) {
  const server = await starting;
  const answers = Array.from({ length: 200 }, () =>
    exchange(server.port, "GET /wait/1500 HTTP/1.1\r\nHost: a\r\n\r\n", {
      ms: 10_000,
      enough: (text) => text.includes("waited"),
    }),
  );
  // Idle kept-alive connections must not delay the shutdown.
  const idle = exchange(server.port, "GET /office HTTP/1.1\r\nHost: a\r\n\r\n", { ms: 10_000 });
  await pause(700);
  const started = performance.now();
  const code = await server.kill(signal);
  const took = performance.now() - started;
  const texts = (await Promise.all(answers)).map((each) => each.text);
  await idle;
  const errors = texts.filter((text) => !text.startsWith("HTTP/1.1 200 ") || !text.endsWith('{"waited":1500}')).length;
  return {
    measured: `${errors} errors, exit ${code} after ${(took / 1000).toFixed(1)} s`,
    ok: errors === 0 && code === 0 && took < 3000,
  };
}

async function secondInterrupt(starting) {
  const server = await starting;
  const answer = exchange(server.port, "GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n", { ms: 15_000 });
  await pause(300);
  const children = descendants(server.pid);
  server.child.kill("SIGINT");
  await pause(300);
  const started = performance.now();
  await server.kill("SIGINT");
  await until(() => !children.some(runs), 3000, "the children to end").catch(() => {});
  const took = performance.now() - started;
  await answer;
  return { measured: `${took.toFixed(0)} ms`, ok: took < 500 };
}
