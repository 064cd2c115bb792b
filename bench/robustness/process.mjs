import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const started = new Set();
let servers = 0;

/** The output of all servers, which the row about leaks searches. */
export const written = [];

/** Stops the servers that are still running. */
export function endAll() {
  for (const child of started) child.kill("SIGKILL");
}

/** Starts a server with its own temporary directory. */
export async function startServer(workspace, { flushMs = 0 } = {}) {
  const temporary = join(workspace.temporary, String(servers++));
  mkdirSync(temporary);
  const child = fork(path("server.mjs"), [workspace.bundle, String(flushMs)], {
    silent: true,
    env: { ...process.env, NODE_ENV: "production", TMPDIR: temporary },
  });
  const server = watched(child, "deployed");
  const [{ port }] = await Promise.race([once(child, "message"), server.exited.then(() => failed(server))]);
  let id = 0;
  const tell = (what) =>
    new Promise((resolve) => {
      const own = id++;
      const take = (message) => {
        if (message.id !== own) return;
        child.off("message", take);
        resolve(message.value);
      };
      child.on("message", take);
      child.send({ id: own, what });
    });
  return { ...server, port, tell, temporary, files: () => readdirSync(temporary) };
}

/** Starts `fw dev` for the application. */
export async function startDev(workspace, { port = 0 } = {}) {
  const child = spawn(process.execPath, [path("../../packages/fw/bin/fw.js"), "dev", "--port", String(port)], {
    cwd: workspace.app,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  const server = watched(child, "dev");
  const url = /http:\/\/localhost:(\d+)/;
  await Promise.race([
    until(() => url.test(server.output()), 20_000, "fw dev to listen"),
    server.exited.then(() => failed(server)),
  ]);
  return { ...server, port: Number(url.exec(server.output())[1]) };
}

function failed(server) {
  throw new Error(`the server ended:\n${server.output()}`);
}

function watched(child, mode) {
  const log = { mode, text: "", errors: "" };
  written.push(log);
  started.add(child);
  child.stdout.setEncoding("utf8").on("data", (text) => (log.text += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (log.errors += text));
  const exited = once(child, "exit").then(([code, signal]) => {
    started.delete(child);
    return code ?? signal;
  });
  const kill = async (signal = "SIGKILL") => {
    child.kill(signal);
    return exited;
  };
  return { pid: child.pid, child, exited, kill, output: () => log.text + log.errors };
}

export function descriptors(pid) {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Returns the memory of a process in bytes. */
export function resident(pid) {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}

/** Returns the ids of the processes below `pid`. */
export function descendants(pid) {
  const own = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  return own.concat(own.flatMap(descendants));
}

export function runs(pid) {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function until(condition, ms, what) {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms in vain for ${what}`);
    await pause(10);
  }
}
