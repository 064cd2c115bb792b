/**
 * The hook of a process that loads a service's bundle without starting the service, as in `fw build`; absent from
 * others.
 */
export interface LoadProbe {
  /** Called once every module has been loaded and its declarations match the wiring. */
  loaded(): void;
}

const PROBE: unique symbol = Symbol.for("fw.loadProbe");

/** Returns the probe of this process, if any. All copies of fw in the process share it, such as the bundle's. */
export function loadProbe(): LoadProbe | undefined {
  return (globalThis as { [PROBE]?: LoadProbe })[PROBE];
}

export function setLoadProbe(probe: LoadProbe): void {
  (globalThis as { [PROBE]?: LoadProbe })[PROBE] = probe;
}
