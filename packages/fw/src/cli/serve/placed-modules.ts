import { copyFileSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { servedRelay, servedTraces } from "../../lib/own-modules.ts";

/** The paths of modules that services load from the server's directory. */
export interface PlacedModules {
  /** Receives requests from the front. */
  readonly relay: string;
  /** Records traces; absent if services record none. */
  readonly traces?: string;
}

/**
 * Copies the modules to the server's directory. Services that restart load the copies, so that an update of fw does not
 * change them while the server runs.
 */
export function placeModules(directory: string, recordsTraces: boolean): PlacedModules {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const place = (module: string): string => {
    const path = join(directory, basename(module));
    copyFileSync(module, path);
    return path;
  };
  return { relay: place(servedRelay), ...(recordsTraces && { traces: place(servedTraces) }) };
}
