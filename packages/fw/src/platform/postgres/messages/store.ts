import { storedMessage } from "../../local/messages/rows.ts";
import { randomUUID } from "node:crypto";
import { eventName } from "../../../lib/events.ts";
import { deadMessages } from "../../../lib/limits.ts";
import { backoff, deadLetterBody } from "../../local/messages/attempts.ts";
import { destinationOf, misfitMark, type Inbox } from "../../local/messages/inbox.ts";
import type { Consumer } from "../../messages.ts";
import type { PendingMessage } from "../../pending-writes.ts";
import type { Connections } from "../connections.ts";
import type { SqlRow } from "../driver.ts";
import { Locks } from "../locks.ts";
import type { ClaimedDelivery, ClaimedMessage } from "./delivery.ts";
import { insertMessages } from "./insert.ts";

/** The duration of a claim's lease in milliseconds, after which another machine may take over. */
export const leaseMs = 10_000;

export interface ClaimRequest {
  readonly inbox: Inbox;
  readonly consumer: Consumer;
  readonly most: number;
}

export interface Claim {
  readonly messages: readonly ClaimedMessage[];
  /** Milliseconds until the inbox should be polled again; undefined if no message remains. */
  readonly nextMs: number | undefined;
}

/**
 * The statements for deliveries. All are safe to repeat: a delivery changes rows only while its claim holds them. If
 * the response to a claim is lost, its messages can be claimed again when the lease ends.
 */
export class DeliveryStore {
  readonly #connections: Connections;
  /** Returns a number from 0 to 1 for the jitter of each pause. */
  readonly #random: () => number;

  constructor(connections: Connections, random: () => number) {
    this.#connections = connections;
    this.#random = random;
  }

  /** Claims up to `most` messages for each request: due messages, or with `all` any that are not in flight. */
  async claim(requests: readonly ClaimRequest[], all: boolean): Promise<readonly Claim[]> {
    const rows = await this.#connections.runRepeatable("SELECT * FROM @@claim($1, $2, $3, $4, $5, $6, $7, $8)", [
      this.#connections.now,
      requests.map(({ inbox }) => inbox.destination),
      requests.map(({ inbox }) => inbox.consumer),
      requests.map(({ most }) => most),
      requests.map(({ consumer }) => consumer.delivery.concurrency),
      requests.map(({ consumer }) => consumer.delivery.rateLimit ?? null),
      leaseMs,
      all,
    ]);
    return requests.map((_, i) => {
      const ofLane = rows.filter(({ lane }) => lane === i + 1);
      const messages = ofLane.filter(({ n }) => n !== null).toSorted(byDue);
      const rest = ofLane.find(({ n }) => n === null)?.["due"];
      return { messages: messages.map(claimedMessage), nextMs: rest === undefined ? undefined : Number(rest) };
    });
  }

  /** Renews the leases of deliveries. Returns deliveries whose messages another machine may have claimed. */
  async renew(deliveries: readonly ClaimedDelivery[]): Promise<readonly ClaimedDelivery[]> {
    const rows = await this.#connections.runRepeatable(
      `UPDATE @@messages m SET due = ${this.#connections.nowSql} + ${leaseMs}
       FROM unnest($1::bigint[], $2::bigint[]) AS d(n, held) WHERE m.n = d.n AND m.held = d.held RETURNING m.n`,
      claimColumns(deliveries),
    );
    const renewed = new Set(rows.map(({ n }) => Number(n)));
    return deliveries.filter(({ message }) => !renewed.has(message.n));
  }

  async finish(ended: readonly ClaimedDelivery[]): Promise<void> {
    const done: ClaimedDelivery[] = [];
    const unfinished: ClaimedDelivery[] = [];
    const failed: { readonly delivery: ClaimedDelivery; readonly reason: string }[] = [];
    for (const delivery of ended) {
      const { outcome } = delivery;
      if (outcome === "done") done.push(delivery);
      else if (outcome === "unfinished" || outcome === undefined) unfinished.push(delivery);
      else if (outcome !== "lost" && "misfit" in outcome) await this.#setAside(delivery, outcome.misfit);
      else if (outcome !== "lost") failed.push({ delivery, reason: outcome.failed });
    }
    for (const { delivery, reason } of failed.filter((each) => isLast(each.delivery)))
      await this.bury(delivery, reason);
    const again = failed.filter((each) => !isLast(each.delivery));
    if (done.length + unfinished.length + again.length === 0) return;
    await this.#connections.runRepeatable(finishSql(this.#connections.nowSql), [
      ...claimColumns(done),
      ...claimColumns(unfinished),
      ...claimColumns(again.map(({ delivery }) => delivery)),
      again.map(({ delivery }) => backoff(delivery.consumer.delivery, delivery.message.attempts, this.#random())),
      again.map(({ reason }) => storableText(reason)),
    ]);
  }

  /** Undoes the start of a delivery and withholds the message from its consumer until `retryMisfits` is called. */
  async #setAside({ message }: ClaimedDelivery, reason: string): Promise<void> {
    await this.#connections.runRepeatable(
      `UPDATE @@messages SET held = NULL, attempts = attempts - 1, due = ${this.#connections.nowSql}, reason = $3,
         receiver = '${misfitMark}' || receiver WHERE n = $1 AND held = $2 RETURNING n`,
      [message.n, message.held, storableText(reason)],
    );
  }

  /** Returns all withheld messages to their consumers. */
  async retryMisfits(): Promise<void> {
    await this.#connections.runRepeatable(
      `UPDATE @@messages SET receiver = substr(receiver, ${misfitMark.length + 1}), due = least(due, ${this.#connections.nowSql})
       WHERE receiver LIKE '${misfitMark}%' RETURNING n`,
      [],
    );
  }

  /**
   * Moves a message to the dead letters and sends its event, unless another machine has claimed the message. Deletes
   * the consumer's oldest dead letters beyond `deadMessages`.
   */
  async bury(
    { message, consumer, lane: { inbox } }: Pick<ClaimedDelivery, "message" | "consumer" | "lane">,
    reason: string,
  ): Promise<void> {
    const { address, nowSql } = this.#connections;
    const text = storableText(reason);
    // Only one transaction at a time, so that positions follow the order of commits.
    await this.#connections.write(new Locks(address.schema).exclusive("dead letters").sql, async (sql) => {
      const buried = await sql.rows(
        `WITH gone AS (DELETE FROM @@messages WHERE n = $1 AND held = $2 RETURNING id, sent, body)
         INSERT INTO @@dead_letters (receiver, carrier, id, sent, died, attempts, reason, body)
         SELECT $3, $4, id, sent, ${nowSql}, $5, $6, body FROM gone RETURNING n`,
        [message.n, message.held, consumer.id, inbox.destination, message.attempts, text],
      );
      if (buried.length === 0) return;
      await sql.rows(
        `DELETE FROM @@dead_letters WHERE receiver = $1 AND n <=
         (SELECT n FROM @@dead_letters WHERE receiver = $1 ORDER BY n DESC OFFSET ${deadMessages} LIMIT 1)`,
        [consumer.id],
      );
      const event = deadEvent(inbox, message, text);
      if (event !== undefined) await insertMessages(sql, [event], this.#connections);
    });
  }

  /** True if a message of these inboxes is in flight or due; with `all`, true if they have any message. */
  async isBusy(inboxes: readonly Inbox[], all: boolean): Promise<boolean> {
    const [row] = await this.#connections.runRepeatable(
      `SELECT EXISTS (
         SELECT FROM unnest($1::text[], $2::text[]) AS i(carrier, receiver)
         JOIN @@messages m ON m.carrier = i.carrier AND m.receiver = i.receiver
         WHERE $3 OR m.held IS NOT NULL OR m.due <= ${this.#connections.nowSql}
       ) AS busy`,
      [inboxes.map(({ destination }) => destination), inboxes.map(({ consumer }) => consumer), all],
    );
    return row?.["busy"] === true;
  }
}

function finishSql(nowSql: string): string {
  return `
    WITH done AS (
      DELETE FROM @@messages m USING unnest($1::bigint[], $2::bigint[]) AS d(n, held) WHERE m.n = d.n AND m.held = d.held
    ), unfinished AS (
      UPDATE @@messages m SET held = NULL, attempts = m.attempts - 1, due = ${nowSql}
      FROM unnest($3::bigint[], $4::bigint[]) AS d(n, held) WHERE m.n = d.n AND m.held = d.held
    ), again AS (
      UPDATE @@messages m SET held = NULL, due = ${nowSql} + d.pause, reason = d.reason
      FROM unnest($5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) AS d(n, held, pause, reason)
      WHERE m.n = d.n AND m.held = d.held
    ) SELECT 1`;
}

function isLast({ message, consumer }: ClaimedDelivery): boolean {
  return message.attempts >= consumer.delivery.maxAttempts;
}

function claimColumns(deliveries: readonly ClaimedDelivery[]): [readonly number[], readonly string[]] {
  return [deliveries.map(({ message }) => message.n), deliveries.map(({ message }) => message.held)];
}

function deadEvent({ destination }: Inbox, message: ClaimedMessage, reason: string): PendingMessage | undefined {
  const { kind, name } = destinationOf(destination);
  if (kind !== "queue" && kind !== "topic") return undefined;
  const { traceparent } = message;
  return {
    id: randomUUID(),
    destination: { kind: "event", name: eventName(`dead.${kind}`, name) },
    message: { body: deadLetterBody(message, reason), ...(traceparent !== undefined && { traceparent }) },
  };
}

function claimedMessage(row: SqlRow): ClaimedMessage {
  return { ...storedMessage(row), held: String(row["held"]) };
}

function byDue(a: SqlRow, b: SqlRow): number {
  return Number(a["due"]) - Number(b["due"]) || Number(a["n"]) - Number(b["n"]);
}

/** Replaces characters that a column cannot store, because an error's message may contain any character. */
function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").replaceAll(/\p{Surrogate}/gu, "\ufffd");
}
