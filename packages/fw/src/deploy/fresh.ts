import type { CloudRequest } from "../platform/gcp/rest/client.ts";
import type { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import type { Api } from "../platform/gcp/rest/endpoints.ts";
import { shortName } from "./api-path.ts";
import { isSwitchedOff } from "./switched-off.ts";

/**
 * The APIs and accounts that this deploy has changed, or has found as declared. Google's services learn of such a
 * change one after another, so that a refusal that contradicts it may be over soon. Every other refusal is final.
 */
export class FreshChanges {
  readonly #apis = new Set<Api>();
  /** Accounts that were created, or named in a policy, by their addresses. */
  readonly #accounts = new Set<string>();

  /** Accounts that exist, and have their roles, from before. */
  readonly #existing = new Set<string>();

  /** The API is enabled. `id` is its resource: `projects/p/services/run.googleapis.com`. */
  addApi(id: string): void {
    this.#apis.add(shortName(id).replace(/\.googleapis\.com$/, "") as Api);
  }

  /** The account was created, or got or lost a role. */
  addAccount(email: string): void {
    this.#accounts.add(email);
  }

  /** The account exists, and its roles are as declared. */
  addExistingAccount(email: string): void {
    this.#existing.add(email);
  }

  /** Which change explains a refusal; undefined if the same call would be refused again. */
  reasonFor(error: CloudError, request: CloudRequest): string | undefined {
    if (![400, 403, 404].includes(error.status)) return undefined;
    const api = this.#apiBehind(error, request);
    if (api !== undefined) return `the ${api} API is enabled, and not usable everywhere yet`;
    const account = this.#accountBehind(error, request);
    return account && `not every service of Google knows ${account} and its roles yet`;
  }

  /** The API that a refusal is about: one that is off, or one whose agent may not act yet. */
  #apiBehind(error: CloudError, { api }: CloudRequest): Api | undefined {
    const { serverMessage } = error;
    if (/@serverless-robot-prod\./.test(serverMessage) && this.#apis.has("run")) return "run";
    const isOff =
      isSwitchedOff(error) || (error.status === 403 && /has not been used|is disabled/i.test(serverMessage));
    if (!isOff) return undefined;
    return [api, ...this.#apis].find(
      (one) => this.#apis.has(one) && (one === api || serverMessage.includes(`${one}.googleapis`)),
    );
  }

  /** The account that a refusal names, or is about if it says no more than that. */
  #accountBehind({ serverMessage }: CloudError, { path, body = "" }: CloudRequest): string | undefined {
    const isAboutAccount = /service ?account|actAs/i.test(serverMessage);
    const text = isAboutAccount ? `${serverMessage} ${path} ${JSON.stringify(body)}` : serverMessage;
    // Whether the deploying account may act as an account is no matter of that account's own roles.
    const existing = /actAs/i.test(serverMessage) ? [] : this.#existing;
    return [...this.#accounts, ...existing].find((email) => text.includes(email));
  }
}
