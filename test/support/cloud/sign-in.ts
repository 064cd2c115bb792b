import type { Deployed } from "./on-cloud.ts";

/** The fields of a test user's sign-in, sent as a form or as JSON. */
interface SignInBody {
  readonly dev_user?: string;
  readonly role?: string | readonly string[];
  readonly email?: string;
  readonly password?: string;
  readonly next?: string;
}

const password = "correct horse battery staple";

/**
 * Signs in through Identity Platform, as a browser does before it posts to `/_fw/api/session`. A test user's account
 * has the user's name as its ID and the roles as its claims. Returns the new body; undefined if the request does not
 * sign in.
 */
export async function signInAs(
  { fake, manifest }: Pick<Deployed, "fake"> & { readonly manifest: Pick<Deployed["manifest"], "signIn"> },
  body: Buffer,
  type = "",
): Promise<Buffer | undefined> {
  const isJson = type.startsWith("application/json");
  const credentials = isJson ? (JSON.parse(body.toString()) as SignInBody) : formOf(body);
  if (credentials.dev_user === undefined && credentials.email === undefined) return undefined;
  const email = credentials.email ?? `${credentials.dev_user}@example.com`;
  const { users } = fake.apis.people;
  if (credentials.dev_user !== undefined) {
    const roles = [credentials.role ?? []].flat();
    const user =
      users.byEmail(email) ??
      users.create({
        localId: credentials.dev_user,
        email,
        displayName: credentials.dev_user,
        emailVerified: true,
        password,
      });
    const signed = users.update(user.localId, { customAttributes: JSON.stringify({ roles }) });
    // Test users belong to the social provider if one exists, as on a laptop.
    if (manifest.signIn?.social)
      return bodyOf(credentials, await fake.apis.people.idToken(signed, "google.com"), isJson);
  }
  const response = await fetch(
    `${fake.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${fake.cloud.apiKey}`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password: credentials.password ?? password, returnSecureToken: true }),
    },
  );
  const { idToken } = (await response.json()) as { idToken?: string };
  return bodyOf(credentials, idToken ?? "", isJson);
}

function bodyOf({ next }: SignInBody, idToken: string, isJson: boolean): Buffer {
  const signedIn = { idToken, ...(next !== undefined && { next }) };
  return Buffer.from(isJson ? JSON.stringify(signedIn) : new URLSearchParams(signedIn).toString());
}

function formOf(body: Buffer): SignInBody {
  const form = new URLSearchParams(body.toString());
  return { ...(Object.fromEntries(form) as SignInBody), role: form.getAll("role") };
}
