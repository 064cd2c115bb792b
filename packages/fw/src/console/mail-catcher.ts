import { randomBytes } from "node:crypto";
import type { SentObserver } from "../platform/local/observe-sent.ts";
import { BoundedList } from "./bounded-list.ts";

/** The maximum number of mails that the console keeps, and the approximate limit of their total bytes. */
const mailBounds = { entries: 200, bytes: 16_000_000 };

/** The maximum number of previews whose documents a page can load, and the approximate limit of their total bytes. */
const previewBounds = { entries: 20, bytes: 16_000_000 };

/** A mail that the application has sent since the dev server started. */
export interface CaughtMail {
  /** Random, because it is part of the address of the mail's document. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly mail: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Keeps the newest mails that the application puts into queues, so that development needs no mail server. */
export class MailCatcher {
  readonly #mails = new BoundedList<CaughtMail>(mailBounds, ({ html, text }) => 2 * (html.length + text.length));

  readonly #previews = new BoundedList<Preview>(previewBounds, ({ html }) => 2 * html.length);

  readonly observer: SentObserver = ({ kind }, body) => {
    const mail = kind === "queue" && body.includes('"html"') ? mailIn(JSON.parse(body)) : undefined;
    if (mail !== undefined) this.#mails.add({ ...mail, id: newDocumentId(), at: Date.now() });
  };

  /** Returns the mails without their documents, newest first. */
  list(): readonly Omit<CaughtMail, "html">[] {
    return this.#mails
      .after(0)
      .map(({ html: _html, ...mail }) => mail)
      .toReversed();
  }

  /** Returns the document of a mail or a preview; undefined if there is none. */
  document(id: string): string | undefined {
    const hasId = (each: Preview): boolean => each.id === id;
    return (this.#mails.findLast(hasId) ?? this.#previews.findLast(hasId))?.html;
  }

  addPreview(html: string): string {
    const id = newDocumentId();
    this.#previews.add({ id, html });
    return id;
  }
}

type Preview = Pick<CaughtMail, "id" | "html">;

function newDocumentId(): string {
  return randomBytes(16).toString("base64url");
}

type Content = Omit<CaughtMail, "id" | "at">;

/** Returns the mail in a message's body, if any. A queue with tenants wraps it in another object. */
function mailIn(body: unknown): Content | undefined {
  const candidates = typeof body === "object" && body !== null ? [body, ...(Object.values(body) as unknown[])] : [];
  return candidates.find(isMail);
}

function isMail(value: unknown): value is Content {
  if (typeof value !== "object" || value === null) return false;
  const { mail, to, subject, text, html } = value as Partial<Record<keyof Content, unknown>>;
  return [mail, subject, text, html].every((each) => typeof each === "string") && typeof to === "object";
}
