import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { readPush } from "../../../runtime/background/envelope.ts";
import { handlePush, type PushedMessage } from "../../../runtime/background/endpoints.ts";
import type { Clock } from "../../contract.ts";
import type { Consumer, DeadMessage, DeadOptions, Delivering, Delivery, Dispatcher } from "../../messages.ts";
import { CloudDeadLetters } from "../messages/dead-letters.ts";
import { HeldDeadLetters } from "../messages/retained-dead-letters.ts";
import { pusher } from "../messages/caller.ts";
import { pusherEmail, serviceUrl } from "../names.ts";
import type { CloudParts } from "../cloud-parts.ts";
import { googleKeys, serviceTokens, type ServiceTokens } from "../rest/service-token.ts";
import { deployDelivery } from "./deployed-delivery.ts";
import type { OnFake } from "./fake.ts";

/** A number of milliseconds that exceeds all pauses between a message's attempts combined. */
const longEnough = 6 * 3_600_000;

/**
 * Implements `Dispatcher` with deliveries that the fake cloud pushes. They are handled as in a deployed service, `idle`
 * advances the fake's clock, and dead letters stay in their subscriptions.
 */
export class PushedDispatcher implements Dispatcher {
  readonly #on: OnFake;
  readonly #clock: Clock;
  readonly #consumers: readonly Consumer[];
  readonly #dead: CloudDeadLetters;
  readonly #held: HeldDeadLetters;
  readonly #tokens = new Map<string, ServiceTokens>();
  /** The reasons for which deliveries were refused. */
  readonly refused: string[] = [];
  #deliver: ((delivery: Delivery) => Promise<void>) | undefined;
  #resending: Promise<number> | undefined;

  private constructor(on: OnFake, parts: CloudParts) {
    this.#on = on;
    this.#clock = parts.cloud.clock;
    this.#consumers = parts.definitions.consumers ?? [];
    this.#dead = new CloudDeadLetters(parts);
    this.#held = new HeldDeadLetters(parts);
  }

  static async open(on: OnFake, parts: CloudParts): Promise<PushedDispatcher> {
    const dispatcher = new PushedDispatcher(on, parts);
    const server = createServer((request, response) => {
      void dispatcher
        .#answer(request)
        .catch(() => 500)
        .then((status) => response.writeHead(status).end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await deployDelivery(on, dispatcher.#consumers, (id) => `http://127.0.0.1:${port}/${id}`);
    return dispatcher;
  }

  deliver(deliver: (delivery: Delivery) => Promise<void>): Delivering {
    this.#deliver = deliver;
    // A deploy of other code resends waiting messages in the same way.
    this.#resending = this.#on.fake.clock.settled().then(() => this.#held.resendWaiting());
    // The test and its fake cloud may end before the resending does. `idle` reports a failure.
    this.#resending.catch(() => {});
    return { stop: async () => void (this.#deliver = undefined) };
  }

  async idle({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    await this.#resending;
    const { clock } = this.#on.fake;
    await clock.advance(all ? longEnough : Math.max(0, this.#clock.now() - clock.now()));
  }

  async dead(options?: DeadOptions): Promise<readonly DeadMessage[]> {
    // Waits until letters that were pulled earlier become available again.
    await this.#on.fake.clock.settled();
    return (await this.#held.dead(options)).filter(({ waits }) => waits !== true);
  }

  async replay(consumer: string, id: string): Promise<boolean> {
    await this.#on.fake.clock.settled();
    return this.#held.replay(consumer, id);
  }

  async drop(consumer: string, id: string): Promise<boolean> {
    await this.#on.fake.clock.settled();
    return this.#held.drop(consumer, id);
  }

  async #answer(request: IncomingMessage): Promise<number> {
    const body = await text(request);
    const id = request.url?.split("/")[1] ?? "";
    const consumer = this.#consumers.find((each) => each.id === id);
    if (consumer === undefined || request.url !== `/${id}/_fw/api/push`) return 404;
    const refusal = await this.#refusal(id, request.headers.authorization);
    if (refusal !== undefined) {
      this.refused.push(refusal);
      return 403;
    }
    const pushed = readPush({ header: (name) => request.headers[name]?.toString() }, body);
    if (pushed === undefined) return 400;
    const { destination, delivery } = consumer;
    const { signal } = new AbortController();
    const handle = async (message: PushedMessage): Promise<void> => {
      if (this.#deliver === undefined) throw new Error("nobody delivers");
      await this.#deliver({ ...message, consumer: id, destination, signal });
    };
    try {
      await handlePush({ service: id, source: destination, delivery }, pushed, { deadLetters: this.#dead, handle });
      return 204;
    } catch {
      return 500;
    }
  }

  #refusal(id: string, authorization = ""): Promise<string | undefined> {
    const { cloud, place } = this.#on;
    const audience = serviceUrl(place, id);
    const { connections, hosts, clock } = cloud;
    const tokens =
      this.#tokens.get(id) ??
      serviceTokens({
        audience,
        keys: googleKeys({ connections, hosts, clock }),
        isVerifiedBefore: async () => true,
        now: () => this.#on.fake.clock.now(),
      });
    this.#tokens.set(id, tokens);
    return pusher({ audience, invoker: pusherEmail(place, id), tokens }).verify(authorization.replace("Bearer ", ""));
  }
}
