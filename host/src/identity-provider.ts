import { openIdProvider, type IdentityProvider } from "@hostledger/audit-service";
import { ConfigurationError, defined } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";

/**
 * Where staff sign in to the console. Nothing is asked of the provider here: one that is down must not stop a start.
 * @returns undefined where none is configured
 * @throws ConfigurationError with a sentence for each setting that is missing.
 */
export function identityProviderOf(configuration: Configuration): IdentityProvider | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcRedirectUri, oidcClaim: claim } = configuration;
  if (oidcIssuer !== undefined && oidcClientId !== undefined && oidcRedirectUri !== undefined)
    return openIdProvider({
      issuer: new URL(oidcIssuer),
      clientId: oidcClientId,
      redirectUri: new URL(oidcRedirectUri),
      claim,
      ...defined({ clientSecret: oidcClientSecret }),
    });
  const needed = {
    HOSTLEDGER_OIDC_ISSUER: oidcIssuer,
    HOSTLEDGER_OIDC_CLIENT_ID: oidcClientId,
    HOSTLEDGER_OIDC_REDIRECT_URI: oidcRedirectUri,
  };
  if ([...Object.values(needed), oidcClientSecret].every((value) => value === undefined)) return undefined;
  throw new ConfigurationError(
    Object.entries(needed)
      .filter(([, value]) => value === undefined)
      .map(([name]) => `${name} must be set, too: staff sign in to the console with it.`),
  );
}
