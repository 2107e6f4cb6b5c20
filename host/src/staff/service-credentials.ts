import { rejection, serviceCredentialAggregate, type Credential, type TeamGrant } from "@hostledger/core";
import { Credentials, type CommandHandler } from "@hostledger/store";
import { rejectionError, type Identify, type RequestContext, type ServiceCaller } from "@hostledger/rpc";
import { hashOfSecret, secretRandomBytes, type Clock, type Ids } from "@hostledger/runtime";

/** Identifies internal teams, and manages their list, which is stored as events. */
export interface ServiceCredentials {
  /** Finds the team by the `Authorization` header. @throws ConnectError `unauthenticated` with a sentence. */
  readonly identify: Identify<ServiceCaller>;
  /** Gives a team a new credential. @throws ConnectError the refusal. */
  issue(
    wanted: Pick<Credential<TeamGrant>, "name" | "scopes" | "expiresAt">,
    context: RequestContext,
  ): Promise<string>;
  /** Revokes a team's credential. @throws ConnectError the refusal. */
  revoke(name: string, context: RequestContext): Promise<{ readonly repeated: boolean }>;
  /** Every team that ever had one, by name. */
  list(): Promise<readonly Credential<TeamGrant>[]>;
}

export function createServiceCredentials(options: {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Ids;
}): ServiceCredentials {
  const teams = new Credentials({
    ...options,
    aggregate: serviceCredentialAggregate,
    refuse: rejectionError,
  });
  return {
    async identify(authorization) {
      const [, shown] = /^Bearer (hlt_[A-Za-z0-9_-]{32})$/.exec(authorization ?? "") ?? [];
      if (shown === undefined)
        throw rejectionError(rejection("unauthenticated", "The service credential is missing or malformed."));
      const { name, scopes } = teams.checked(await teams.withHash(hashOfSecret(shown)));
      return { kind: "service", name, scopes };
    },

    async issue(wanted, context) {
      // Scanners recognise leaked credentials by their beginning.
      const credential = `hlt_${options.ids.secret(secretRandomBytes)}`;
      await teams.issue({ ...wanted, credentialHash: hashOfSecret(credential) }, context);
      return credential;
    },

    revoke: (name, context) => teams.revoke(name, context),
    list: () => teams.list(),
  };
}
