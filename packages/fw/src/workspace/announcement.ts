import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { number, object, text, type Codec } from "../lib/codec.ts";
import { readOwnFileIfWhole } from "../lib/own-file.ts";

/** The address and key that other commands use to reach a server on this machine. */
export interface RunningServer {
  readonly port: number;
  readonly host: string;
  readonly pid: number;
  /** The private key for signing commands' calls, in base64. */
  readonly callKey: string;
}

const runningServerCodec: Codec<RunningServer> = object<RunningServer>({
  port: number,
  host: text,
  pid: number,
  callKey: text,
});

/** The audience and the invoker of calls that commands sign for a dev server, which runs everything as one service. */
export const devCall = { audience: "fw-dev", invoker: "fw-command" } as const;

/** The file that tells commands of the same user how to reach a server. Only one server writes it at a time. */
export class Announcement<Server extends RunningServer> {
  readonly #path: string;
  readonly #codec: Codec<Server>;

  constructor(path: string, codec: Codec<Server>) {
    this.#path = path;
    this.#codec = codec;
  }

  announce(server: Server): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    rmSync(this.#path, { force: true });
    writeFileSync(this.#path, `${JSON.stringify(server)}\n`, { mode: 0o600 });
  }

  /** Deletes the announcement if this process wrote it. */
  withdraw(): void {
    if (this.find()?.pid === process.pid) rmSync(this.#path, { force: true });
  }

  /** Returns the last server that announced itself, which may have died since; undefined without a readable file. */
  find(): Server | undefined {
    return readOwnFileIfWhole(this.#path, this.#codec);
  }
}

export function devServerOf(root: string): Announcement<RunningServer> {
  return new Announcement(join(root, ".fw", "dev.json"), runningServerCodec);
}
