import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { onTestFinished } from "vitest";

/** The secret of the client `shop`. */
export const clientSecret = "the secret of the application at its provider";

/** A provider with one user. It learns its clients' URLs once the application has a port. */
export async function startProvider(): Promise<{ readonly issuer: string; serve(application: string): void }> {
  let answer: ReturnType<Provider["callback"]> | undefined;
  const server = createServer((req, res) => void answer?.(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    serve(application) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: "shop",
            client_secret: clientSecret,
            redirect_uris: [`${application}/_fw/signin/social/callback`],
            post_logout_redirect_uris: [`${application}/_fw/signin`],
            backchannel_logout_uri: `${application}/_fw/signin/social/logout`,
            backchannel_logout_session_required: true,
          },
        ],
        features: { backchannelLogout: { enabled: true } },
        // The provider's own dispatcher refuses connections to this machine.
        fetch: (request, options) => fetch(request, { ...options, dispatcher: undefined }),
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
        findAccount: async (_: unknown, id: string) => ({
          accountId: id,
          claims: async () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: "Ada" }),
        }),
      });
      answer = provider.callback();
    },
  };
}
