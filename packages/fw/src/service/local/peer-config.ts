import { onLine } from "../../lib/lines.ts";
import type { DevBarState } from "../../runtime/hooks.ts";

/**
 * The configuration of a service that runs with others on one machine. Their parent process sends it as a line of JSON
 * on standard input at startup, and again after every change.
 */
export interface PeerConfig {
  readonly platform: string;
  /** The service's own private key (`CallKeys`). */
  readonly key: string;
  /** The public keys of the callers of the service, by identity. */
  readonly callers: Readonly<Record<string, string>>;
  /** The origins of the services that this one may call, by name; "" for one that is not listening yet. */
  readonly services: Readonly<Record<string, string>>;
  /** True when all services are about to stop: they still serve requests, but must finish background work. */
  readonly stopping?: true;
  /**
   * The URL of the module that receives clients' requests (`relay/listen.ts`); absent if an earlier fw runs the
   * service. The front's fw provides the module to services of any build. A change to `Exchange` or
   * `RelayServerOptions` that older builds do not expect needs a new `manifestVersion`.
   */
  readonly relay?: string;
  /**
   * The module that adds fw's content to pages in development, or records traces in production; absent if neither is
   * needed.
   */
  readonly pages?: { readonly module: string; readonly bar: DevBarState };
}

/** The file descriptor for the final metrics of a service. */
export const reportDescriptor = 3;

export interface PeerConfigState {
  config: PeerConfig;
  onChange: (config: PeerConfig) => void;
}

/**
 * Resolves once the first configuration has arrived. The state always contains the latest one. This process exits when
 * its parent does.
 */
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
