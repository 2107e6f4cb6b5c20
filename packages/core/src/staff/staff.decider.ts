import { Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import { isInForce } from "../kernel/credential-list.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
} from "../kernel/decider.ts";
import type { StaffEvent, StaffRole } from "./staff.events.ts";

/** Adds a person. Instants are ISO 8601 UTC with six fractional digits. */
export type AddStaffMember = Command<
  "AddStaffMember",
  {
    /** A valid name according to `isStaffName`. */
    readonly name: string;
    readonly role: StaffRole;
    readonly tokenHash: string;
    readonly expiresAt: string | null;
  }
>;

export type RevokeStaffMember = Command<"RevokeStaffMember", { readonly name: string }>;

export type StaffCommand = AddStaffMember | RevokeStaffMember;

export interface StaffMember {
  readonly name: string;
  readonly role: StaffRole;
  readonly tokenHash: string;
  readonly expiresAt: string | null;
  readonly addedAt: string;
  readonly revokedAt: string | null;
}

/** All persons ever added, by lower-case name, so that names that differ only in case are one person. */
export interface StaffState {
  readonly members: PersistentMap<string, StaffMember>;
  /** True once there was an owner; from then on there is always an owner. */
  readonly hasOwner: boolean;
}

/** Maximum persons, revoked ones included, because the list stays in memory. */
export const staffLimit = 1_000;

/** Reserved staff name of the bootstrap token. */
export const bootstrapName = "admin";

/** Rules of the operator's staff (stream `staff-all`): names are unique, and an owner always remains once there is one. */
export const staff: Decider<StaffCommand, StaffState, StaffEvent> = {
  initialState: { members: PersistentMap(), hasOwner: false },
  decide,
  evolve,
};

/** Returns true for 1 to 64 characters of `A-Za-z0-9._@-`, which fit the actor in an event's metadata. */
export function isStaffName(name: string): boolean {
  return /^[A-Za-z0-9._@-]{1,64}$/.test(name);
}

/** Returns the person whose token has this hash; undefined if there is none. */
export function staffMemberOf({ members }: StaffState, tokenHash: string): StaffMember | undefined {
  return members.find((member) => member.tokenHash === tokenHash);
}

function decide(command: StaffCommand, state: StaffState): Decision<StaffEvent> {
  switch (command.type) {
    case "AddStaffMember":
      return add(command.data, state);
    case "RevokeStaffMember":
      return revoke(command.data, state);
    default:
      return assertNever(command);
  }
}

function add(
  { at, ...member }: AddStaffMember["data"],
  { members, hasOwner }: StaffState,
): Decision<StaffEvent> {
  const { name, role, tokenHash, expiresAt } = member;
  const known = members.get(name.toLowerCase());
  // Only a repeat of this command finds the hash, because tokens are never reused.
  if (known?.tokenHash === tokenHash) return accept();
  if (!isStaffName(name))
    return reject("validation-failed", "The name must be 1 to 64 letters, digits, dots, dashes, _ or @.");
  if (name.toLowerCase() === bootstrapName)
    return reject("validation-failed", `"${bootstrapName}" is the bootstrap token's name: choose another.`);
  if (known !== undefined && isInForce(known, at))
    return reject(
      "validation-failed",
      `${known.name} is staff already, as ${known.role}: revoke that first.`,
    );
  if (expiresAt !== null && expiresAt <= at)
    return reject("validation-failed", "The token would have expired already.");
  if (role === "owner" && !hasOwner && expiresAt !== null)
    return reject("validation-failed", "The first owner may not expire: nobody could add staff afterwards.");
  if (known === undefined && members.size >= staffLimit)
    return reject("validation-failed", `There are ${String(staffLimit)} persons already: no more are kept.`);
  return accept({ type: "StaffMemberAdded", data: { ...member, addedAt: at } });
}

function revoke({ name, at }: RevokeStaffMember["data"], { members }: StaffState): Decision<StaffEvent> {
  const known = members.get(name.toLowerCase());
  if (known === undefined) return reject("not-found", "There is no such member of staff.");
  if (known.revokedAt !== null) return accept();
  const isLasting = (member: StaffMember): boolean =>
    member.role === "owner" && member.revokedAt === null && member.expiresAt === null;
  if (isLasting(known) && members.count(isLasting) === 1)
    return reject(
      "validation-failed",
      `${known.name} is the last owner who does not expire: add another first, without --expires.`,
    );
  return accept({ type: "StaffMemberRevoked", data: { name: known.name, revokedAt: at } });
}

function evolve(state: StaffState, event: StaffEvent): StaffState {
  const { members, hasOwner } = state;
  const key = event.data.name.toLowerCase();
  const known = members.get(key);
  switch (event.type) {
    case "StaffMemberAdded":
      return {
        members: members.set(key, { ...event.data, revokedAt: null }),
        hasOwner: hasOwner || event.data.role === "owner",
      };
    case "StaffMemberRevoked":
      if (known?.revokedAt !== null) throw new CorruptStreamError(event.type, "no such member in force");
      return { ...state, members: members.set(key, { ...known, revokedAt: event.data.revokedAt }) };
    default:
      return assertNever(event);
  }
}
