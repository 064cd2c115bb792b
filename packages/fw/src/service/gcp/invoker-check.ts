import type { KeySource } from "../../platform/gcp/rest/key-set.ts";

/** Milliseconds for which a result is cached. A grant to everyone takes minutes to become effective. */
const cacheMs = 60_000;

/** The time limit of the probe in milliseconds; a caller waits for it. */
const answerMs = 5_000;

/** Resolves with true if Cloud Run currently verifies the callers of the service. */
export type InvokerCheck = () => Promise<boolean>;

/**
 * Tests whether Cloud Run verifies callers: if it does, it refuses a request without a token to the service's own
 * address, before the request reaches an instance. A response from an instance has a request id, which reveals a
 * service that was made public by hand. Without a response, the check counts as off.
 */
export function invokerCheck(address: string, { connections, hosts, clock }: KeySource): InvokerCheck {
  const url = new URL(address);
  let last: { readonly isOn: Promise<boolean>; readonly at: number } | undefined;

  const probe = async (): Promise<boolean> => {
    const request = { method: "GET", path: "/", headers: {}, answerMs };
    const { status, headers, body } = await connections.send({ ...request, target: hosts(url) });
    body.destroy();
    return (status === 401 || status === 403) && headers["x-request-id"] === undefined;
  };

  return () => {
    if (last === undefined || clock.elapsed() - last.at >= cacheMs)
      last = { isOn: probe().catch(() => false), at: clock.elapsed() };
    return last.isOn;
  };
}
