import { createHash } from "node:crypto";

import { rejection } from "@hostledger/core";
import { rejectionError, type StaffCaller } from "@hostledger/rpc";
import { createLru, type Clock, type Ids } from "@hostledger/runtime";

/** A member of staff whose credential is in force. */
export interface NamedMember {
  readonly caller: StaffCaller;
  /** When the person was added; one who was revoked and added again is added anew. */
  readonly addedAt: string;
}

/** Finds a member of staff in force by name. @throws ConnectError `unauthenticated` where there is none. */
export type FindMember = (name: string) => Promise<NamedMember>;

/** The sessions of browsers: who signed in, until when. */
export interface StaffSessions {
  /** Begins one. @returns its secret id @throws ConnectError `unauthenticated` where the person is no staff in force. */
  begin(name: string): Promise<{ readonly id: string; readonly caller: StaffCaller }>;
  /** Whose session this is, as the facts have the person now. @throws ConnectError `unauthenticated` */
  callerOf(id: string): Promise<StaffCaller>;
  /** Ends one. Safe to repeat. */
  end(id: string): void;
}

interface Session extends Pick<NamedMember, "addedAt"> {
  readonly name: string;
  readonly endsAtMs: number;
}

/** A working day: whoever left the company last night signs in no more this morning. In seconds. */
export const sessionSeconds = 8 * 3_600;

/** With more than this at once, the one unused for longest ends. A thousand persons are staff at most. */
const sessionLimit = 1_000;

/** 256 bits: an id cannot be guessed. */
const idBytes = 32;

/** Keeps the sessions in memory: a process that starts anew asks everybody to sign in again. */
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
        // The facts are asked each time, so that a revocation holds at the next request.
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

/** What is looked up is a digest, so that the time of a look-up tells nothing about an id. */
function keyOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}
