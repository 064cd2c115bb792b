import type { KeySource } from "../../platform/gcp/rest/key-set.ts";

/** Milliseconds until the check is looked at again: a grant to everybody takes minutes to be in force. */
const knownMs = 60_000;

/** Milliseconds of the look; a caller waits for it. */
const answerMs = 5_000;

/** Resolves with whether Cloud Run verifies the callers of the service right now. */
export type InvokerCheck = () => Promise<boolean>;

/**
 * Finds out whether Cloud Run's invoker check is on: without a token its front end then refuses the service's own
 * address, and the request reaches no instance. An answer of an instance carries a request id, so a service that was
 * made public by hand is seen, however that was done. Where nothing answers, the check is not known to be on.
 */
export function invokerCheck(address: string, { connections, hosts, clock }: KeySource): InvokerCheck {
  const url = new URL(address);
  let last: { readonly isOn: Promise<boolean>; readonly at: number } | undefined;

  const look = async (): Promise<boolean> => {
    const request = { method: "GET", path: "/", headers: {}, answerMs };
    const { status, headers, body } = await connections.send({ ...request, target: hosts(url) });
    body.destroy();
    return (status === 401 || status === 403) && headers["x-request-id"] === undefined;
  };

  return () => {
    if (last === undefined || clock.elapsed() - last.at >= knownMs)
      last = { isOn: look().catch(() => false), at: clock.elapsed() };
    return last.isOn;
  };
}
