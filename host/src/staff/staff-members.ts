import { timingSafeEqual } from "node:crypto";

import {
  bootstrapName,
  hasOwner,
  isStaffName,
  rejection,
  staffAggregate,
  type CredentialsState,
  type StaffGrant,
  type StaffMember,
} from "@hostledger/core";
import type { NamedMember } from "@hostledger/audit-service";
import { Credentials, type CommandHandler } from "@hostledger/store";
import { rejectionError, type RequestContext, type StaffCaller } from "@hostledger/rpc";
import { hashOfSecret, secretRandomBytes, type Clock, type Ids } from "@hostledger/runtime";

export interface StaffMembersOptions {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The token of `DATA/admin.token`: it acts as an owner until there is one. */
  readonly bootstrapToken: string;
  /** True where the operator of the machine has let it act as an owner again. */
  readonly isRecovering: boolean;
}

/** A person who was just added. */
export interface NewStaffMember {
  readonly token: string;
  readonly expiresAt: string | null;
}

/** Identifies members of staff, and manages their list, which is stored as events. */
export interface StaffMembers {
  /**
   * Finds the member by the `Authorization` header.
   * @throws ConnectError `unauthenticated` with the reason.
   */
  identify(authorization: string | undefined): Promise<StaffCaller>;
  /**
   * Finds a member by name, ignoring case, after another check proved the identity.
   * @throws ConnectError `unauthenticated` if there is no such member, or the credential is revoked or expired.
   */
  named(name: string): Promise<NamedMember>;
  /** Adds a person with a new token. @throws ConnectError the refusal. */
  add(
    member: Pick<StaffMember, "name" | "role" | "expiresAt">,
    context: RequestContext,
  ): Promise<NewStaffMember>;
  /** Revokes a person's token. @throws ConnectError the refusal. */
  revoke(name: string, context: RequestContext): Promise<{ readonly repeated: boolean }>;
  /** Returns all persons who were ever added, by name. */
  list(): Promise<readonly StaffMember[]>;
}

/** Prefix of every person's token, by which scanners recognise a leaked one. */
export const staffTokenPrefix = "hls_";

/** 64 bits of randomness as hexadecimal digits are 16 characters; a shorter token can be guessed. */
const shortestToken = 16;

/**
 * Puts together how staff are found.
 * @throws RangeError for a bootstrap token of fewer than 16 characters.
 */
export function createStaffMembers(options: StaffMembersOptions): StaffMembers {
  const { ids, bootstrapToken, isRecovering } = options;
  if (bootstrapToken.length < shortestToken)
    throw new RangeError(`the staff credential needs at least ${String(shortestToken)} characters`);
  const bootstrapHash = hashOfSecret(bootstrapToken);
  const members = new Credentials({ ...options, aggregate: staffAggregate, refuse: rejectionError });
  const callerOf = (found: StaffMember): StaffCaller => {
    const { name, role } = members.checked(found);
    return { kind: "staff", name, role };
  };
  return {
    async identify(authorization) {
      const hash = hashOfSecret(shownToken(authorization));
      // Hashes have one length, so the comparison reveals nothing about the token, not even its length.
      if (timingSafeEqual(Buffer.from(hash), Buffer.from(bootstrapHash)))
        return bootstrapCaller(await members.load(), isRecovering);
      const member = await members.withHash(hash);
      if (member === undefined) throw refusal(wrongCredential);
      return callerOf(member);
    },

    async named(name) {
      const member = isStaffName(name) ? await members.named(name) : undefined;
      if (member === undefined)
        throw refusal(
          "You are not a member of staff: an owner can add you with `hostledger admin staff add`.",
        );
      return { caller: callerOf(member), addedAt: member.issuedAt };
    },

    async add(member, context) {
      const token = `${staffTokenPrefix}${ids.secret(secretRandomBytes)}`;
      await members.issue({ ...member, credentialHash: hashOfSecret(token) }, context);
      return { token, expiresAt: member.expiresAt };
    },

    revoke: (name, context) => members.revoke(name, context),
    list: () => members.list(),
  };
}

function bootstrapCaller(state: CredentialsState<StaffGrant>, isRecovering: boolean): StaffCaller {
  if (!hasOwner(state) || isRecovering) return { kind: "staff", name: bootstrapName, role: "owner" };
  throw refusal(
    "The token of admin.token is no longer valid, because an owner exists: put your own token into HOSTLEDGER_ADMIN_TOKEN. If no owner has a token left, start the instance with HOSTLEDGER_STAFF_RECOVERY=on.",
  );
}

const wrongCredential =
  "The staff credential is missing or wrong: put your staff token (hls_…) into HOSTLEDGER_ADMIN_TOKEN. " +
  "The token of admin.token works until the first owner exists.";

/** @throws ConnectError `unauthenticated` when it cannot be a token. */
function shownToken(authorization: string | undefined): string {
  const [, token] = /^Bearer ([\x21-\x7e]{1,512})$/.exec(authorization ?? "") ?? [];
  if (token === undefined) throw refusal(wrongCredential);
  return token;
}

function refusal(sentence: string): Error {
  return rejectionError(rejection("unauthenticated", sentence));
}
