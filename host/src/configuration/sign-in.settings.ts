import { settings, text } from "@hostledger/runtime";

import { safeUrl } from "./safe-url.ts";

const why = "nobody on a network may read or change who signs in";

/** The OpenID provider where staff sign in to the console. */
export const signInSettings = {
  oidcIssuer: safeUrl("https://id.example.com", why).optional().register(settings, {
    variable: "HOSTLEDGER_OIDC_ISSUER",
    meaning: "OpenID provider for the console's sign-in; without it staff use their tokens",
  }),
  oidcClientId: text("must be 1 to 255 visible ASCII characters", /^[\x21-\x7e]{1,255}$/)
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_OIDC_CLIENT_ID",
      meaning: "the console's name at that provider",
    }),
  oidcClientSecret: text("must be 1 to 512 visible ASCII characters", /^[\x21-\x7e]{1,512}$/)
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_OIDC_CLIENT_SECRET",
      meaning: "the console's secret there; a public client has none",
      secret: true,
    }),
  oidcRedirectUri: safeUrl("https://console.example.com/audit/callback", why)
    .refine((value) => value.endsWith("/audit/callback"), "must end with /audit/callback")
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_OIDC_REDIRECT_URI",
      meaning:
        "redirect address: the console's public address and /audit/callback; with https, cookies need TLS",
    }),
  oidcClaim: text("must be the name of a claim, for example email", /^[A-Za-z0-9_:./-]{1,100}$/)
    .default("preferred_username")
    .register(settings, {
      variable: "HOSTLEDGER_OIDC_CLAIM",
      meaning:
        "claim with a person's staff name; people must not be able to change their own at the provider",
    }),
};
