import { randomBytes } from "node:crypto";
import { query, type Api, type Call, type Method } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid } from "../errors.ts";
import { projectResource } from "../iam/resources.ts";
import { SignInConfiguration } from "./configuration.ts";
import { hasPassword, toJSON, Users, type User } from "./users.ts";

/** A mail sent by Identity Platform. */
export interface Mail {
  readonly to: string;
  readonly requestType: "PASSWORD_RESET" | "VERIFY_EMAIL";
  readonly oobCode: string;
}

/** A user with an account at the social provider. */
export interface Person {
  readonly email: string;
  readonly name: string;
}

/** Identity Platform: the project's user accounts and their sign-in. */
export class IdentityPlatform {
  readonly api: Api;
  readonly users: Users;
  /** Sent mails whose codes are unused, oldest first. */
  readonly mails: Mail[] = [];
  /** The sign-in configuration of the project. */
  readonly configuration: SignInConfiguration;
  readonly #cloud: Cloud;
  readonly #people = new Map<string, Person>();

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.users = new Users(cloud.clock);
    this.configuration = new SignInConfiguration(cloud);
    this.api = {
      host: "identitytoolkit.googleapis.com",
      // Browsers call it from pages of any site.
      crossOrigin: true,
      methods: { ...this.#managing(), ...this.#visiting(), ...this.configuration.methods },
    };
  }

  /**
   * Signs a person in at the provider. Returns the URL of the redirect, which `signInWithIdp` takes as `requestUri`.
   */
  social(person: Person): string {
    const code = randomBytes(12).toString("hex");
    this.#people.set(code, person);
    return `https://${this.#cloud.project.id}.firebaseapp.com/__/auth/handler?code=${code}&state=here`;
  }

  /** Issues an ID token for a user who signed in with `provider` the given number of seconds ago. */
  idToken(user: User, provider: string, secondsAgo = 0): Promise<string> {
    const { id } = this.#cloud.project;
    const now = Math.floor(this.#cloud.clock.now() / 1000);
    return this.#cloud.tokens.securetoken.token({
      ...(user.displayName !== "" && { name: user.displayName }),
      ...(user.customAttributes === "" ? {} : (JSON.parse(user.customAttributes) as object)),
      iss: `https://securetoken.google.com/${id}`,
      aud: id,
      auth_time: now - secondsAgo,
      user_id: user.localId,
      sub: user.localId,
      iat: now,
      exp: now + 3600,
      email: user.email,
      email_verified: user.emailVerified,
      firebase: { identities: { email: [user.email] }, sign_in_provider: provider },
    });
  }

  /** Returns the methods for services and operators. */
  #managing(): Api["methods"] {
    const method = (permission: string, run: Method["run"]): Method => ({
      needs: () => [{ permission: `firebaseauth.users.${permission}`, resource: projectResource(this.#cloud) }],
      run,
    });
    return {
      "identitytoolkit.projects.accounts": method("create", ({ body }) => {
        const { localId, email, displayName } = this.users.create(body as object);
        return { kind: "identitytoolkit#SignupNewUserResponse", localId, email, displayName };
      }),
      "identitytoolkit.projects.accounts.lookup": method("get", ({ body }) => {
        const { localId = [], email = [] } = body as { localId?: readonly string[]; email?: readonly string[] };
        const matches = [
          ...localId.map((id) => this.users.get(id)),
          ...email.map((address) => this.users.byEmail(address)),
        ];
        const users = matches.filter((user) => user !== undefined).map(toJSON);
        return { kind: "identitytoolkit#GetAccountInfoResponse", ...(users.length > 0 && { users }) };
      }),
      "identitytoolkit.projects.accounts.update": method("update", ({ body }) => {
        const { localId = "", disableUser, ...change } = body as { localId?: string; disableUser?: boolean };
        const user = this.users.update(localId, {
          ...change,
          ...(disableUser !== undefined && { disabled: disableUser }),
        });
        return { kind: "identitytoolkit#SetAccountInfoResponse", localId, email: user.email };
      }),
      "identitytoolkit.projects.accounts.delete": method("delete", ({ body }) => {
        this.users.delete((body as { localId?: string }).localId ?? "");
        return { kind: "identitytoolkit#DeleteAccountResponse" };
      }),
      "identitytoolkit.projects.accounts.batchGet": method("get", (call) => this.#page(call)),
    };
  }

  #page(call: Call): object {
    const most = Number(query(call, "maxResults") ?? 20);
    if (most < 1 || most > 1000) throw invalid("INVALID_PAGE_SIZE");
    const token = query(call, "nextPageToken") ?? "";
    const after = Buffer.from(token, "base64url").toString();
    if (Buffer.from(after).toString("base64url") !== token) throw invalid("INVALID_PAGE_SELECTION");
    const { users, more } = this.users.page(after, most);
    const last = users.at(-1)?.localId ?? "";
    return {
      kind: "identitytoolkit#DownloadAccountResponse",
      users: users.map(toJSON),
      ...(more && { nextPageToken: Buffer.from(last).toString("base64url") }),
    };
  }

  /** Returns the methods for browsers, which need only the web API key. */
  #visiting(): Api["methods"] {
    return {
      "identitytoolkit.getProjects": visiting(() => ({
        projectId: this.#cloud.project.number,
        authorizedDomains: ["localhost", `${this.#cloud.project.id}.firebaseapp.com`],
      })),
      "identitytoolkit.accounts.signInWithPassword": visiting(async ({ body }) => {
        const { email = "", password = "" } = body as { email?: string; password?: string };
        const user = this.users.byEmail(email);
        if (!user || !hasPassword(user, password)) throw invalid("INVALID_LOGIN_CREDENTIALS");
        return this.#signedIn(user, "password");
      }),
      "identitytoolkit.accounts.signInWithIdp": visiting(async ({ body }) => {
        const { requestUri = "" } = body as { requestUri?: string };
        const person = this.#people.get(new URL(requestUri).searchParams.get("code") ?? "");
        if (!person) throw invalid("INVALID_IDP_RESPONSE : the code is not one of the provider's");
        return { ...(await this.#signedIn(this.#userOf(person), "google.com")), providerId: "google.com" };
      }),
      "identitytoolkit.accounts.lookup": visiting(({ body }) => {
        const user = this.#bearer(body as { idToken?: string });
        return { kind: "identitytoolkit#GetAccountInfoResponse", users: [toJSON(user)] };
      }),
      "identitytoolkit.accounts.sendOobCode": visiting(({ body }) => this.#mail(body as OobRequest)),
      "identitytoolkit.accounts.resetPassword": visiting(({ body }) => {
        const { oobCode = "", newPassword = "" } = body as { oobCode?: string; newPassword?: string };
        const user = this.#mailed(oobCode, "PASSWORD_RESET");
        this.users.update(user.localId, { password: newPassword, emailVerified: true });
        return { kind: "identitytoolkit#ResetPasswordResponse", email: user.email, requestType: "PASSWORD_RESET" };
      }),
      "identitytoolkit.accounts.update": visiting(({ body }) => {
        const { oobCode = "" } = body as { oobCode?: string };
        const user = this.#mailed(oobCode, "VERIFY_EMAIL");
        this.users.update(user.localId, { emailVerified: true });
        return { kind: "identitytoolkit#SetAccountInfoResponse", localId: user.localId, emailVerified: true };
      }),
    };
  }

  async #signedIn(user: User, provider: string): Promise<object> {
    if (user.disabled) throw invalid("USER_DISABLED");
    this.users.update(user.localId, { lastLoginAt: this.#cloud.clock.now() });
    const { localId, email, displayName } = user;
    const idToken = await this.idToken(user, provider);
    return {
      localId,
      email,
      displayName,
      idToken,
      refreshToken: randomBytes(24).toString("base64url"),
      expiresIn: "3600",
    };
  }

  /** Returns the account with the address that the provider vouches for, and creates it if needed. */
  #userOf({ email, name }: Person): User {
    const known = this.users.byEmail(email);
    if (known === undefined)
      return this.users.create({ email, displayName: name, emailVerified: true, providers: ["google.com"] });
    const providers = [...new Set([...known.providers, "google.com"])];
    return this.users.update(known.localId, { providers, emailVerified: true });
  }

  /** Returns the user of an ID token. Does not verify the signature, because only this cloud issues tokens here. */
  #bearer({ idToken = "" }: { readonly idToken?: string }): User {
    const { sub = "" } = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "e30", "base64url").toString()) as {
      sub?: string;
    };
    const user = this.users.get(sub);
    if (user === undefined) throw invalid("INVALID_ID_TOKEN");
    return user;
  }

  #mail({ requestType, email = "", idToken = "" }: OobRequest): object {
    if (requestType !== "PASSWORD_RESET" && requestType !== "VERIFY_EMAIL") throw invalid("INVALID_REQ_TYPE");
    const user = requestType === "VERIFY_EMAIL" ? this.#bearer({ idToken }) : this.users.byEmail(email);
    if (user === undefined) throw invalid("EMAIL_NOT_FOUND");
    this.mails.push({ to: user.email, requestType, oobCode: randomBytes(24).toString("base64url") });
    return { kind: "identitytoolkit#GetOobConfirmationCodeResponse", email: user.email };
  }

  /** Returns the recipient of a mailed code, which is valid once. */
  #mailed(oobCode: string, requestType: Mail["requestType"]): User {
    const at = this.mails.findIndex((mail) => mail.oobCode === oobCode && mail.requestType === requestType);
    const [mail] = at === -1 ? [] : this.mails.splice(at, 1);
    const user = mail && this.users.byEmail(mail.to);
    if (user === undefined) throw invalid("INVALID_OOB_CODE");
    return user;
  }
}

function visiting(run: Method["run"]): Method {
  return { needs: "key", run };
}

interface OobRequest {
  readonly requestType?: string;
  readonly email?: string;
  readonly idToken?: string;
}
