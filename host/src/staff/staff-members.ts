import { createHash, timingSafeEqual } from "node:crypto";

import {
  bootstrapName,
  isInForce,
  isStaffName,
  rejection,
  staffAggregate,
  staffMemberOf,
  type StaffCommand,
  type StaffMember,
  type StaffState,
} from "@hostledger/core";
import type { NamedMember } from "@hostledger/audit-service";
import type { CommandHandler } from "@hostledger/store";
import { rejectionError, type RequestContext, type StaffCaller } from "@hostledger/rpc";
import type { Clock, Ids } from "@hostledger/runtime";

/** What the members of staff are found with. */
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

/** Tells members of staff from everybody else, and keeps their list, which is facts. */
export interface StaffMembers {
  /**
   * Finds the member by the `Authorization` header.
   * @throws ConnectError `unauthenticated` with a sentence that says what is wrong.
   */
  identify(authorization: string | undefined): Promise<StaffCaller>;
  /**
   * Finds the member of this name, in whatever case, for one whose identity was proved elsewhere.
   * @throws ConnectError `unauthenticated` where there is none, or the credential is revoked or has expired.
   */
  named(name: string): Promise<NamedMember>;
  /** Adds a person with a new token. @throws ConnectError the refusal. */
  add(
    member: Pick<StaffMember, "name" | "role" | "expiresAt">,
    context: RequestContext,
  ): Promise<NewStaffMember>;
  /** Revokes a person's token. @throws ConnectError the refusal. */
  revoke(name: string, context: RequestContext): Promise<{ readonly repeated: boolean }>;
  /** Everybody who was ever added, by name. */
  list(): Promise<readonly StaffMember[]>;
}

const streamId = "all";

/** Random bytes in a token: 192 bits, written as 32 characters of base64url. */
const tokenRandomBytes = 24;

/** What every token of a person begins with, by which scanners know one that has leaked. */
export const staffTokenPrefix = "hls_";

/** 64 bits of randomness as hexadecimal digits are 16 characters; a shorter token can be guessed. */
const shortestToken = 16;

/**
 * Puts together how staff are found.
 * @throws RangeError for a bootstrap token of fewer than 16 characters.
 */
export function createStaffMembers(options: StaffMembersOptions): StaffMembers {
  const { commands, clock, ids, bootstrapToken, isRecovering } = options;
  if (bootstrapToken.length < shortestToken)
    throw new RangeError(`the staff credential needs at least ${String(shortestToken)} characters`);
  const bootstrapHash = hashOf(bootstrapToken);
  const load = async (): Promise<StaffState> => (await commands.load(staffAggregate, streamId)).state;
  const execute = async (command: StaffCommand, context: RequestContext) => {
    const asked = { ...context, commandId: `${command.type}/${ids.uuid()}` };
    const executed = await commands.execute(staffAggregate, streamId, command, asked);
    if (!executed.accepted) throw rejectionError(executed.rejection);
    return { repeated: executed.events.length === 0 };
  };
  return {
    async identify(authorization) {
      const hash = hashOf(shownToken(authorization));
      const state = await load();
      // Hashes have one length, so that the comparison tells nothing about the token, not even its length.
      if (timingSafeEqual(Buffer.from(hash), Buffer.from(bootstrapHash)))
        return bootstrapCaller(state, isRecovering);
      return callerOf(staffMemberOf(state, hash), clock.now());
    },

    async named(name) {
      const { members } = await load();
      const member = isStaffName(name) ? members.get(name.toLowerCase()) : undefined;
      if (member === undefined)
        throw refusal(
          "You are no member of staff here: an owner adds you with `hostledger admin staff add`.",
        );
      return { caller: callerOf(member, clock.now()), addedAt: member.addedAt };
    },

    async add(member, context) {
      const token = `${staffTokenPrefix}${ids.secret(tokenRandomBytes)}`;
      const data = { ...member, tokenHash: hashOf(token), at: clock.now() };
      await execute({ type: "AddStaffMember", data }, context);
      return { token, expiresAt: member.expiresAt };
    },

    async revoke(name, context) {
      return execute({ type: "RevokeStaffMember", data: { name, at: clock.now() } }, context);
    },

    async list() {
      const { members } = await load();
      return [...members.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    },
  };
}

function bootstrapCaller({ hasOwner }: StaffState, isRecovering: boolean): StaffCaller {
  if (!hasOwner || isRecovering) return { kind: "staff", name: bootstrapName, role: "owner" };
  throw refusal(
    "The token of admin.token has made the first owner and opens nothing any more: put your own into HOSTLEDGER_ADMIN_TOKEN. Where no owner has one left, start the instance with HOSTLEDGER_STAFF_RECOVERY=on.",
  );
}

function callerOf(member: StaffMember | undefined, at: string): StaffCaller {
  if (member === undefined) throw refusal(wrongCredential);
  if (!isInForce(member, at)) {
    const { revokedAt, expiresAt } = member;
    throw refusal(
      revokedAt === null
        ? `The staff token expired at ${String(expiresAt)}.`
        : `The staff token was revoked at ${revokedAt}.`,
    );
  }
  return { kind: "staff", name: member.name, role: member.role };
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

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function refusal(sentence: string): Error {
  return rejectionError(rejection("unauthenticated", sentence));
}
