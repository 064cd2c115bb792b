import type { KeySource } from "../../platform/gcp/rest/key-set.ts";

/** Milliseconds for which a result is cached: a public grant takes minutes to become effective. */
const cacheMs = 60_000;

/** The time limit of the probe in milliseconds; a caller waits for it. */
const answerMs = 5_000;

/** Resolves with whether Cloud Run verifies the callers of the service right now. */
export type InvokerCheck = () => Promise<boolean>;

/**
 * Probes whether Cloud Run's invoker check is on: its front end then refuses a request without a token to the service's
 * own address before any instance. An answer of an instance carries a request id, so a service that was made public by
 * hand is detected. Without an answer the check counts as off.
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
