import { createHash } from "node:crypto";
import { sessionMs } from "../../../lib/limits.ts";
import type { Key, Platform } from "../../../platform/contract.ts";
import { isPlatformError } from "../../../platform/errors.ts";
import type { Fields } from "../../../platform/values.ts";
import { transact } from "../../../platform/transact.ts";
import { sessionMarkKind } from "../../../runtime/auth/kinds.ts";
import type { Sessions } from "../../../runtime/auth/sessions.ts";

/**
 * Limit: live sessions of this application for one session or subject at the provider; the next one ends the oldest.
 */
const sessionsOfOne = 100;

/** The provider's names for a user and for the user's session at the provider. */
export interface ProviderNames {
  readonly subject?: string | undefined;
  /** The claim `sid`. */
  readonly session?: string | undefined;
}

interface OwnSession {
  readonly account: string;
  readonly document: string;
}

interface ProviderMark extends Fields {
  /** The sessions of this application that belong to the provider's session or subject, as `document account`. */
  readonly sessions: readonly string[];
  /** The time at which the provider ended its session or all sessions of the subject, in seconds since 1970. */
  readonly endTime?: number;
}

/**
 * Stores which of this application's sessions belong to a session or subject at the provider, and ends them when the
 * provider does. Also stores used logout tokens.
 */
export class ProviderSessions {
  readonly #platform: Platform;
  readonly #sessions: Sessions;
  readonly #issuer: string;

  constructor(platform: Platform, sessions: Sessions, issuer: string) {
    this.#platform = platform;
    this.#sessions = sessions;
    this.#issuer = issuer;
  }

  /**
   * Records the provider's names for a new session. Returns false if the provider has ended the session since
   * `signedIn`.
   */
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
      // End the dropped sessions, because the provider cannot end a session that no mark names.
      await this.#endEach(dropped);
      if (endTime !== undefined && endTime >= signedIn) isLive = false;
    }
    return isLive;
  }

  /** Ends the sessions of a subject or session at the provider, including sign-ins in progress. */
  async end(names: ProviderNames, seconds: number): Promise<void> {
    // A token with both names refers to the session, not to the subject's other sessions.
    const { subject, session } = names;
    for (const key of this.#keysOf(session === undefined ? { subject } : { session })) {
      await this.#change(key, (mark) => ({ ...mark, endTime: Math.max(seconds, mark.endTime ?? 0) }));
      await this.#endAll(key);
    }
  }

  /** Ends this application's sessions for a session at the provider. Does nothing if none is known. */
  async endKnown(session: string): Promise<void> {
    for (const key of this.#keysOf({ session })) await this.#endAll(key);
  }

  /** True if the identifier of a logout token is new. */
  async isNew(token: string): Promise<boolean> {
    return (await this.#platform.entities.get(this.#keyOf("token", token))) === undefined;
  }

  /** Stores the identifier of a logout token until it expires. */
  async take(token: string, expires: Date): Promise<void> {
    try {
      await this.#platform.entities.insert(this.#keyOf("token", token), {}, { expires });
    } catch (error) {
      // Ignore a token that the provider sent twice at the same time.
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

  /** Changes or creates a mark, and returns its `endTime`. */
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

  /** Returns the key of a mark. Its id contains spaces, unlike the account ids of other marks. */
  #keyOf(what: "session" | "subject" | "token", name: string): Key {
    const hash = createHash("sha256")
      .update(JSON.stringify([this.#issuer, name]))
      .digest("hex");
    return { kind: sessionMarkKind, id: `provider ${what} ${hash}` };
  }
}
