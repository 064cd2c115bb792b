import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Starts a server process, by default pinned to the first core. */
export async function startServer(file, { node = process.execPath, pinned = true, flags = [] } = {}) {
  const path = fileURLToPath(new URL(`../servers/${file}`, import.meta.url));
  const child = fork(path, [], {
    execPath: pinned ? "/usr/bin/taskset" : node,
    execArgv: pinned ? ["-c", "0", node, ...flags] : flags,
    env: { ...process.env, NODE_ENV: "production" },
  });
  const { port } = await message(child);
  return {
    port,
    usage: () => {
      child.send("usage");
      return message(child);
    },
    /** Sends a message to the server and resolves with its reply. */
    tell: (what) => {
      child.send(what);
      return message(child);
    },
    stop: () => child.kill("SIGKILL"),
  };
}

function message(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`the server ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (value) => {
      child.off("exit", ended);
      resolve(value);
    });
  });
}
