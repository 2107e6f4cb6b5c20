import { once } from "node:events";
import { createServer } from "node:http";

import { listen } from "@hostledger/runtime/testing";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";
import { Provider } from "oidc-provider";

/** A complete OpenID provider on its own port, at which persons log in by typing their name. */
export interface TestProvider {
  readonly issuer: string;
  /** Changes the claims of each ID token from now on; the provider's own key signs them, or a stranger's. */
  forge(change: (claims: JWTPayload) => JWTPayload, key?: "own" | "stranger"): void;
  /** Issues correct tokens again. */
  behave(): void;
  close(): Promise<void>;
}

/** The console, as the provider knows it. */
export const consoleClient = { id: "hostledger-console", secret: "canary-secret-of-the-console" };

/** @param redirectUri where browsers are sent back to */
export async function openTestProvider(redirectUri: string): Promise<TestProvider> {
  const server = createServer();
  const issuer = `http://127.0.0.1:${String(await listen(server))}`;
  const [own, stranger] = [
    await generateKeyPair("RS256", { extractable: true }),
    await generateKeyPair("RS256"),
  ];
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: consoleClient.id,
        client_secret: consoleClient.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(own.privateKey)), alg: "RS256", kid: "own" }] },
    claims: { profile: ["preferred_username"], email: ["email", "email_verified"] },
    // Said, so that it does not warn of each.
    ttl: {
      Interaction: 600,
      Session: 600,
      Grant: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
    pkce: { required: () => true },
    cookies: { keys: ["of the test's provider"] },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        preferred_username: accountId,
        email: `${accountId}@example.com`,
        email_verified: accountId !== "unverified",
      }),
    }),
  });
  let forged: { change: (claims: JWTPayload) => JWTPayload; key: "own" | "stranger" } | undefined;
  provider.use(async (context, next) => {
    await next();
    const body: unknown = context.body;
    if (context.path !== "/token" || forged === undefined || typeof body !== "object" || body === null)
      return;
    const claims = forged.change(decodeJwt(String(Reflect.get(body, "id_token"))));
    const { privateKey } = forged.key === "own" ? own : stranger;
    const idToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "own" })
      .sign(privateKey);
    context.body = { ...body, id_token: idToken };
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    void answer(request, response);
  });
  return {
    issuer,
    forge(change, key = "own") {
      forged = { change, key };
    },
    behave() {
      forged = undefined;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
