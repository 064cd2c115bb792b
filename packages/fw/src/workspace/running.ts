import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { number, object, text, type Codec } from "../lib/codec.ts";
import { readOwnFileIfWhole } from "../lib/own-file.ts";

/** How other commands reach a server of this machine. */
export interface Running {
  readonly port: number;
  readonly host: string;
  readonly pid: number;
  /** With which commands sign their calls, a private key in base64. */
  readonly callKey: string;
}

const running: Codec<Running> = object<Running>({ port: number, host: text, pid: number, callKey: text });

/** On one port everything is one service, and who calls it for the platform is a command of the same user. */
export const devCall = { audience: "fw-dev", invoker: "fw-command" } as const;

/** The file by which commands of the same user find a server. Only one server at a time writes it. */
export class Announcement<Server extends Running> {
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

  /** Takes it back, where it is still this process's own. */
  withdraw(): void {
    if (this.find()?.pid === process.pid) rmSync(this.#path, { force: true });
  }

  /** The server that was announced last; one that was killed may still be named. A damaged file names none. */
  find(): Server | undefined {
    return readOwnFileIfWhole(this.#path, this.#codec);
  }
}

/** Of the dev server of an application. */
export function devServerOf(root: string): Announcement<Running> {
  return new Announcement(join(root, ".fw", "dev.json"), running);
}
