import { createHash } from "node:crypto";

import {
  isInForce,
  rejection,
  serviceCredentialAggregate,
  serviceCredentialOf,
  type ServiceCredential,
  type ServiceCredentialCommand,
} from "@hostledger/core";
import type { CommandHandler } from "@hostledger/store";
import { rejectionError, type Identify, type RequestContext, type ServiceCaller } from "@hostledger/rpc";
import type { Clock, Ids } from "@hostledger/runtime";

/** Tells internal teams from everybody else, and keeps their list, which is facts. */
export interface ServiceCredentials {
  /** Finds the team by the `Authorization` header. @throws ConnectError `unauthenticated` with a sentence. */
  readonly identify: Identify<ServiceCaller>;
  /** Gives a team a new credential. @throws ConnectError the refusal. */
  issue(
    wanted: Pick<ServiceCredential, "name" | "scopes" | "expiresAt">,
    context: RequestContext,
  ): Promise<string>;
  /** Revokes a team's credential. @throws ConnectError the refusal. */
  revoke(name: string, context: RequestContext): Promise<{ readonly repeated: boolean }>;
  /** Every team that ever had one, by name. */
  list(): Promise<readonly ServiceCredential[]>;
}

const streamId = "all";

/** Random bytes in a credential: 192 bits, written as 32 characters of base64url. */
const randomBytes = 24;

/** What every credential of a team begins with, by which scanners know one that has leaked. */
const prefix = "hlt_";

/** @returns the list, asked for every call: a revocation holds at once, in every process over the store. */
export function createServiceCredentials({
  commands,
  clock,
  ids,
}: {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Ids;
}): ServiceCredentials {
  const load = async () => (await commands.load(serviceCredentialAggregate, streamId)).state;
  const execute = async (command: ServiceCredentialCommand, context: RequestContext) => {
    const asked = { ...context, commandId: `${command.type}/${ids.uuid()}` };
    const executed = await commands.execute(serviceCredentialAggregate, streamId, command, asked);
    if (!executed.accepted) throw rejectionError(executed.rejection);
    return { repeated: executed.events.length === 0 };
  };
  return {
    async identify(authorization) {
      const [, shown] = /^Bearer (hlt_[A-Za-z0-9_-]{32})$/.exec(authorization ?? "") ?? [];
      if (shown === undefined) throw refusal("The service credential is missing or malformed.");
      const found = serviceCredentialOf(await load(), hashOf(shown));
      if (found === undefined) throw refusal("There is no such service credential.");
      const { name, scopes, expiresAt, revokedAt } = found;
      if (revokedAt !== undefined) throw refusal(`The service credential was revoked at ${revokedAt}.`);
      if (!isInForce(found, clock.now()))
        throw refusal(`The service credential expired at ${String(expiresAt)}.`);
      return { kind: "service", name, scopes };
    },

    async issue(wanted, context) {
      const credential = `${prefix}${ids.secret(randomBytes)}`;
      const data = { ...wanted, credentialHash: hashOf(credential), at: clock.now() };
      await execute({ type: "IssueServiceCredential", data }, context);
      return credential;
    },

    async revoke(name, context) {
      return execute({ type: "RevokeServiceCredential", data: { name, at: clock.now() } }, context);
    },

    async list() {
      const { credentials } = await load();
      return [...credentials.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    },
  };
}

function hashOf(credential: string): string {
  return createHash("sha256").update(credential).digest("hex");
}

function refusal(sentence: string): Error {
  return rejectionError(rejection("unauthenticated", sentence));
}
