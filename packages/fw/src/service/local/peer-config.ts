import { onLine } from "../../lib/lines.ts";
import type { Shown } from "../../runtime/hooks.ts";

/**
 * What a service is told that runs beside the others on one machine, by the process that started it: on standard input, a
 * line of JSON, and another one whenever something of it has changed.
 */
export interface PeerConfig {
  /** The origin at which the platform is served that all share. */
  readonly platform: string;
  /** The service's own private key (`CallKeys`). */
  readonly key: string;
  /** The public keys of those who may call the service, by identity. */
  readonly callers: Readonly<Record<string, string>>;
  /** The origins of the services that this one may call, by name; "" of one that does not listen yet. */
  readonly services: Readonly<Record<string, string>>;
  /** True from when all services are about to be stopped: they still answer, and work in the background is told. */
  readonly stopping?: true;
  /** What documents have where they are worked on. */
  readonly pages?: { readonly module: string; readonly shown: Shown };
}

/** The descriptor at which a service says what it counted when it ends. */
export const reportsTo = 3;

/** What a service was told last. */
export interface Told {
  config: PeerConfig;
  changed: (config: PeerConfig) => void;
}

/** Resolves when the service has been told for the first time. This process ends with the one that tells. */
export function readPeerConfig(): Promise<Told> {
  return new Promise((resolve) => {
    let told: Told | undefined;
    const hear = (config: PeerConfig): void => {
      if (told === undefined) resolve((told = { config, changed: () => {} }));
      told.config = config;
      told.changed(config);
    };
    onLine(process.stdin, (line) => hear(JSON.parse(line) as PeerConfig));
    process.stdin.once("end", () => process.exit(0));
  });
}
