import { onLine } from "../../lib/lines.ts";
import type { DevBarState } from "../../runtime/hooks.ts";

/**
 * The configuration of a service that runs with others on one machine. Their parent process sends it as a line of JSON
 * on standard input at the start, and again after every change.
 */
export interface PeerConfig {
  readonly platform: string;
  /** The service's own private key (`CallKeys`). */
  readonly key: string;
  /** The public keys of the callers of the service, by identity. */
  readonly callers: Readonly<Record<string, string>>;
  /** The origins of the services that this one may call, by name; "" for one that is not listening yet. */
  readonly services: Readonly<Record<string, string>>;
  /** True when all services are about to stop: they still respond to requests, but must end background work. */
  readonly stopping?: true;
  /**
   * The URL of the module that receives the requests of clients (`relay/listen.ts`); absent if an earlier fw runs the
   * service. The front's fw provides the module to services of any build: a change of `Exchange` or
   * `RelayServerOptions` that such a build does not expect needs another `manifestVersion`.
   */
  readonly relay?: string;
  /** A module with the additions to documents in development, or in production with a recorder of traces. */
  readonly pages?: { readonly module: string; readonly bar: DevBarState };
}

/** The file descriptor to which a service writes its final counts. */
export const reportDescriptor = 3;

export interface PeerConfigState {
  config: PeerConfig;
  onChange: (config: PeerConfig) => void;
}

/** Resolves with the first configuration. This process ends when its parent does. */
export function readPeerConfig(): Promise<PeerConfigState> {
  return new Promise((resolve) => {
    let state: PeerConfigState | undefined;
    const receive = (config: PeerConfig): void => {
      if (state === undefined) resolve((state = { config, onChange: () => {} }));
      state.config = config;
      state.onChange(config);
    };
    onLine(process.stdin, (line) => receive(JSON.parse(line) as PeerConfig));
    process.stdin.once("end", () => process.exit(0));
  });
}
