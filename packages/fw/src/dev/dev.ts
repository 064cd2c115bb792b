import { DevLoop, type DevOptions } from "./loop.ts";
import { listen } from "./port/listener.ts";

export interface DevServer {
  readonly port: number;
  /** Lets requests finish, then stops everything. */
  stop(): Promise<void>;
}

/** Serves the application at `root` and follows its files. Rejects if the port is taken or nothing is declared. */
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
