import { loadLibrary, OpenIdClient } from "./client.ts";
import { SocialSignIn, type SocialSignInOptions } from "./endpoints.ts";
import type { SocialSettings } from "./settings.ts";

export type NewSocialSignIn = (options: Omit<SocialSignInOptions, "client">) => SocialSignIn;

/** Loads the code for signing in with a provider. Refuses if the library is not installed. */
export async function openSocial(settings: SocialSettings): Promise<NewSocialSignIn> {
  const client = new OpenIdClient(await loadLibrary(), settings);
  return (options) => new SocialSignIn({ ...options, client });
}
