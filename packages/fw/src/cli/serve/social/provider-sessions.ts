import { createHash } from "node:crypto";
import { sessionMs } from "../../../lib/limits.ts";
import type { Key, Platform } from "../../../platform/contract.ts";
import { isPlatformError } from "../../../platform/errors.ts";
import type { Fields } from "../../../platform/values.ts";
import { transact } from "../../../platform/transact.ts";
import { sessionMarkKind } from "../../../runtime/auth/kinds.ts";
import type { Sessions } from "../../../runtime/auth/sessions.ts";

/** Limit: live sessions here of one session or subject at the provider; the next one ends the oldest. */
const sessionsOfOne = 100;

/** The provider's own names for a person and for the session of their browser there. */
export interface ProviderNames {
  readonly subject?: string | undefined;
  /** The claim `sid`. */
  readonly session?: string | undefined;
}

/** A session of this application, by its account and its document. */
interface OwnSession {
  readonly account: string;
  readonly document: string;
}

/** A document for a subject or a session of the provider. */
interface ProviderMark extends Fields {
  /** The own sessions that belong to it, as `document account`. */
  readonly sessions: readonly string[];
  /** When the provider ended it, in seconds since 1970. */
  readonly endTime?: number;
}

/** Ends sessions here that belong to a session at the provider. Its documents are marks of sessions. */
export class ProviderSessions {
  readonly #platform: Platform;
  readonly #sessions: Sessions;
  readonly #issuer: string;

  constructor(platform: Platform, sessions: Sessions, issuer: string) {
    this.#platform = platform;
    this.#sessions = sessions;
    this.#issuer = issuer;
  }

  /** Records the names of a new session; false if the provider has ended them since the sign-in, in seconds. */
  async add(names: ProviderNames, own: OwnSession, signedIn: number): Promise<boolean> {
    const entry = `${own.document} ${own.account}`;
    let isLive = true;
    for (const key of this.#keysOf(names)) {
      let dropped: readonly string[] = [];
      const endTime = await this.#change(key, ({ sessions, ...rest }) => {
        const all = [...sessions, entry];
        dropped = all.slice(0, -sessionsOfOne);
        return { ...rest, sessions: all.slice(-sessionsOfOne) };
      });
      // A session that no mark names could not be ended by the provider.
      await this.#endEach(dropped);
      if (endTime !== undefined && endTime >= signedIn) isLive = false;
    }
    return isLive;
  }

  /** Ends the sessions of a subject or a session of the provider, and those whose sign-in is under way. */
  async end(names: ProviderNames, seconds: number): Promise<void> {
    // A token with both names means the session, not the subject's others.
    const { subject, session } = names;
    for (const key of this.#keysOf(session === undefined ? { subject } : { session })) {
      await this.#change(key, (mark) => ({ ...mark, endTime: Math.max(seconds, mark.endTime ?? 0) }));
      await this.#endAll(key);
    }
  }

  /** Ends the sessions of a session of the provider; does nothing if none is known. */
  async endKnown(session: string): Promise<void> {
    for (const key of this.#keysOf({ session })) await this.#endAll(key);
  }

  /** Whether the identifier of a logout token has not been taken before. */
  async isNew(token: string): Promise<boolean> {
    return (await this.#platform.entities.get(this.#keyOf("token", token))) === undefined;
  }

  /** Remembers the identifier of a logout token until it expires. */
  async take(token: string, expires: Date): Promise<void> {
    try {
      await this.#platform.entities.insert(this.#keyOf("token", token), {}, { expires });
    } catch (error) {
      // The provider has sent it twice at once.
      if (!isPlatformError(error, "exists")) throw error;
    }
  }

  async #endAll(key: Key): Promise<void> {
    const mark = (await this.#platform.entities.get(key))?.fields as ProviderMark | undefined;
    await this.#endEach(mark?.sessions ?? []);
  }

  async #endEach(sessions: readonly string[]): Promise<void> {
    for (const entry of sessions) {
      const space = entry.indexOf(" ");
      await this.#sessions.endOne(entry.slice(space + 1), entry.slice(0, space));
    }
  }

  /** Changes a mark, which may be new; returns when the provider ended it. */
  #change(key: Key, change: (mark: ProviderMark) => ProviderMark): Promise<number | undefined> {
    const expires = new Date(this.#platform.clock.now() + sessionMs);
    return transact(this.#platform, async (transaction) => {
      const mark = ((await transaction.get(key))?.fields ?? { sessions: [] }) as ProviderMark;
      const next = change(mark);
      transaction.upsert(key, next, { expires });
      return next.endTime;
    });
  }

  #keysOf({ subject, session }: ProviderNames): readonly Key[] {
    return [
      ...(subject === undefined ? [] : [this.#keyOf("subject", subject)]),
      ...(session === undefined ? [] : [this.#keyOf("session", session)]),
    ];
  }

  /** The names of accounts, which the other marks have, contain no space. */
  #keyOf(what: "session" | "subject" | "token", name: string): Key {
    const hash = createHash("sha256")
      .update(JSON.stringify([this.#issuer, name]))
      .digest("hex");
    return { kind: sessionMarkKind, id: `provider ${what} ${hash}` };
  }
}
