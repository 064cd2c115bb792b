import type { KeySource } from "../../platform/gcp/rest/key-set.ts";

/** Milliseconds for which a result is cached. Making a service public takes minutes anyway. */
const cacheMs = 60_000;

/** The probe's time limit in milliseconds. A caller waits for the probe. */
const answerMs = 5_000;

/** Resolves with true if Cloud Run currently verifies the callers of the service. */
export type InvokerCheck = () => Promise<boolean>;

/**
 * Tests whether Cloud Run verifies callers, with a request to the service's own address without a token. A request id
 * in the response shows that it reached an instance: the service was made public by hand. Without a response, the
 * result is false.
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
