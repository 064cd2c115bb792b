import type { CloudRequest } from "../platform/gcp/rest/client.ts";
import type { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import type { Api } from "../platform/gcp/rest/endpoints.ts";
import { shortName } from "./api-path.ts";
import { isSwitchedOff } from "./switched-off.ts";

/**
 * The APIs and accounts that this deploy has changed or found up to date. Google's services are eventually consistent,
 * so a refusal that contradicts such a change may be temporary. All other refusals are final.
 */
export class FreshChanges {
  readonly #apis = new Set<Api>();
  /** Emails of accounts that were created or named in a policy. */
  readonly #accounts = new Set<string>();

  /** Emails of accounts that already existed with their roles. */
  readonly #existing = new Set<string>();

  /** Records an enabled API. `id` is its resource: `projects/p/services/run.googleapis.com`. */
  addApi(id: string): void {
    this.#apis.add(shortName(id).replace(/\.googleapis\.com$/, "") as Api);
  }

  /** Records an account that was created, or gained or lost a role. */
  addAccount(email: string): void {
    this.#accounts.add(email);
  }

  /** Records an account that already has its declared roles. */
  addExistingAccount(email: string): void {
    this.#existing.add(email);
  }

  /** Describes the change that explains a refusal; undefined if a retry would also fail. */
  reasonFor(error: CloudError, request: CloudRequest): string | undefined {
    if (![400, 403, 404].includes(error.status)) return undefined;
    const api = this.#apiBehind(error, request);
    if (api !== undefined) return `the ${api} API has just been enabled and is not usable everywhere yet`;
    const account = this.#accountBehind(error, request);
    return account && `the roles of ${account} are still propagating to all of Google's services`;
  }

  /**
   * Returns the API of this deploy that explains a refusal: it is not enabled everywhere yet, or its agent has no
   * access yet. Undefined if there is none.
   */
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

  /**
   * Returns the account of this deploy that a refusal names. If the refusal is about accounts, the request may name it
   * instead. Undefined if there is none.
   */
  #accountBehind({ serverMessage }: CloudError, { path, body = "" }: CloudRequest): string | undefined {
    const isAboutAccount = /service ?account|actAs/i.test(serverMessage);
    const text = isAboutAccount ? `${serverMessage} ${path} ${JSON.stringify(body)}` : serverMessage;
    // Permission to impersonate an account does not depend on that account's roles.
    const existing = /actAs/i.test(serverMessage) ? [] : this.#existing;
    return [...this.#accounts, ...existing].find((email) => text.includes(email));
  }
}
