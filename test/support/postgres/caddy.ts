import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../packages/fw/src/lib/testing/free-port.ts";

/** Starts Caddy in front of machines, with the configuration shown in docs/postgres.md. */
export async function startCaddy(
  machines: readonly number[],
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const port = await freePort();
  const home = mkdtempSync(join(tmpdir(), "fw-caddy-"));
  // The test's own front provides the clients' addresses and schemes.
  const caddyfile = `{
  admin off
  auto_https off
}
:${port} {
  bind 127.0.0.1
  reverse_proxy ${machines.map((machine) => `127.0.0.1:${machine}`).join(" ")} {
    health_uri /_fw/z/ready
    health_interval 1s
    lb_try_duration 5s
    trusted_proxies 127.0.0.1/32
  }
}
`;
  const caddy = spawn("caddy", ["run", "--config", "-", "--adapter", "caddyfile"], {
    env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const exited = new Promise<void>((resolve) => caddy.once("exit", () => resolve()));
  const close = async (): Promise<void> => {
    caddy.kill("SIGKILL");
    await exited;
    rmSync(home, { recursive: true, force: true });
  };
  caddy.stdin.end(caddyfile);
  let log = "";
  try {
    await new Promise<void>((resolve, reject) => {
      caddy.stderr.setEncoding("utf8").on("data", (text: string) => {
        log += text;
        if (log.includes("serving initial configuration")) resolve();
      });
      void exited.then(() => reject(new Error(`caddy did not start: ${log}`)));
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}
