import { DevLoop, type DevOptions } from "./loop.ts";
import { listen } from "./port/listener.ts";

export interface DevServer {
  readonly port: number;
  /** Finishes running requests, then stops everything. */
  stop(): Promise<void>;
}

/**
 * Serves the application at `root` and updates it when files change. Rejects if the port is in use or nothing is
 * declared.
 */
export async function startDev(options: DevOptions): Promise<DevServer> {
  const started = performance.now();
  const listener = await listen(options.port, options.hosts);
  const loop = new DevLoop(options, listener);
  options.signal.addEventListener("abort", () => loop.kill());
  try {
    await loop.start(started);
  } catch (error) {
    loop.kill();
    throw error;
  }
  return { port: listener.address.port, stop: () => loop.stop() };
}
