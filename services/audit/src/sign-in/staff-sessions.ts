import { createHash } from "node:crypto";

import { rejection } from "@hostledger/core";
import { rejectionError, type StaffCaller } from "@hostledger/rpc";
import { createLru, type Clock, type Ids } from "@hostledger/runtime";

export interface NamedMember {
  readonly caller: StaffCaller;
  /** Time at which the person was added, or added again after a revocation. */
  readonly addedAt: string;
}

/** Finds a member of staff with a valid credential by name. @throws ConnectError `unauthenticated` if there is none. */
export type FindMember = (name: string) => Promise<NamedMember>;

export interface StaffSessions {
  /**
   * Begins a session.
   * @returns its secret id
   * @throws ConnectError `unauthenticated` if the person is not staff.
   */
  begin(name: string): Promise<{ readonly id: string; readonly caller: StaffCaller }>;
  /** Returns the caller of a session, as currently stored. @throws ConnectError `unauthenticated` */
  callerOf(id: string): Promise<StaffCaller>;
  /** Ends a session. Safe to repeat. */
  end(id: string): void;
}

interface Session extends Pick<NamedMember, "addedAt"> {
  readonly name: string;
  readonly endsAtMs: number;
}

/** Lifetime of a session in seconds: one working day, so that a former employee cannot use it the next morning. */
export const sessionSeconds = 8 * 3_600;

/** Maximum sessions; the least recently used ends. */
const sessionLimit = 1_000;

/** 256 bits, so that an id cannot be guessed. */
const idBytes = 32;

/** Stores sessions in memory: after a restart everybody must sign in again. */
export function createStaffSessions({
  clock,
  ids,
  findMember,
}: {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly findMember: FindMember;
}): StaffSessions {
  const sessions = createLru<string, Session>(sessionLimit);
  return {
    async begin(name) {
      const { caller, addedAt } = await findMember(name);
      const id = ids.secret(idBytes);
      const endsAtMs = clock.epochMilliseconds() + sessionSeconds * 1_000;
      sessions.set(keyOf(id), { name: caller.name, addedAt, endsAtMs });
      return { id, caller };
    },

    async callerOf(id) {
      const key = keyOf(id);
      const session = sessions.get(key);
      if (session !== undefined && clock.epochMilliseconds() < session.endsAtMs) {
        // Reads the events each time, so that a revocation applies to the next request.
        const { caller, addedAt } = await findMember(session.name);
        if (addedAt === session.addedAt) return caller;
      }
      sessions.delete(key);
      throw rejectionError(rejection("unauthenticated", "Your session has ended: sign in again at /audit."));
    },

    end(id) {
      sessions.delete(keyOf(id));
    },
  };
}

/** Looks up a digest, so that the duration of a look-up reveals nothing about an id. */
function keyOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}
