import { StatusError } from "../../declare/errors.ts";
import type { Application } from "../application.ts";
import type { Sessions } from "../auth/sessions.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { checkAdmission } from "../call.ts";
import { CallContext } from "../calls/call-context.ts";
import { originOf } from "../calls/origin.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";

/** Limit: milliseconds between two checks for changed accounts, which end the sockets of users who have lost access. */
const socketAccessMs = 3_000;

/** An open socket of a session or an access token. */
interface WatchedSocket {
  readonly request: Request;
  readonly endpoint: BundledEndpoint;
  /** The decoded request, which the endpoint's policy may read. */
  readonly input: unknown;
  /** Ends the socket as an error in its handler would. */
  readonly end: (error: unknown) => void;
}

const watches = new WeakMap<Application, SessionWatch>();

/**
 * Ends a socket within seconds after its user loses access: the account was disabled or deleted, its sessions were
 * ended, or the gate no longer admits it. Users of an authenticator have no session to watch. Returns a function that
 * stops watching.
 */
export function watchSession(socket: WatchedSocket): () => void {
  const { app, session, claim } = socket.request;
  if (app.sessions === undefined || session === undefined || claim === undefined || claim.by === "authenticator")
    return () => {};
  let watch = watches.get(app);
  if (watch === undefined) watches.set(app, (watch = new SessionWatch(app.sessions)));
  return watch.add(session.identity.id, socket);
}

/** Checks for changed accounts while sockets are open, with a single query for all sockets of a process. */
class SessionWatch {
  readonly #sessions: Sessions;
  readonly #sockets = new Map<string, Set<WatchedSocket>>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;
  #hasFailed = false;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  add(account: string, socket: WatchedSocket): () => void {
    const own = this.#sockets.get(account) ?? new Set();
    this.#sockets.set(account, own.add(socket));
    this.#timer ??= setInterval(() => void this.#check(), socketAccessMs).unref();
    return () => this.#remove(account, socket);
  }

  #remove(account: string, socket: WatchedSocket): void {
    const own = this.#sockets.get(account);
    own?.delete(socket);
    if (own?.size === 0) this.#sockets.delete(account);
    if (this.#sockets.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const changed = await this.#sessions.changedAccounts();
      const affected = [...changed].flatMap((account) => [...(this.#sockets.get(account) ?? [])]);
      await Promise.all(affected.map((socket) => this.#recheck(socket)));
      this.#hasFailed = false;
    } catch (error) {
      this.#reportOnce(error);
    } finally {
      this.#isChecking = false;
    }
  }

  /** Logs only the first of consecutive failures. While checks fail, open sockets keep their access. */
  #reportOnce(error: unknown): void {
    const [first] = [...this.#sockets.values()].flatMap((own) => [...own]);
    if (!this.#hasFailed) first?.request.log.warn("could not check the accounts of open sockets", { error });
    this.#hasFailed = true;
  }

  async #recheck({ request, endpoint, input, end }: WatchedSocket): Promise<void> {
    const { app, claim, ctx } = request;
    if (claim === undefined || claim.by === "authenticator") return;
    const session = await this.#sessions.find(claim.id);
    if (session === undefined) return end(new StatusError(401, messages.signIn));
    try {
      const call = new CallContext({ app, endpoint, outer: ctx, origin: originOf(ctx), session });
      await checkAdmission(call, endpoint, input);
    } catch (error) {
      end(error);
    }
  }
}
