import { Set as PersistentSet } from "immutable";

import { dayOf } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";
import type { AuditorCommand } from "./auditor.commands.ts";
import type { AuditorCredentialIssued, AuditorEvent } from "./auditor.events.ts";

/** Maximum validity of a credential in days; an auditor who needs longer gets a new one. */
export const maximumAuditorDays = 366;

export type AuditorState =
  | { readonly status: "none" }
  | {
      readonly status: "issued";
      readonly credential: AuditorCredentialIssued["data"];
      readonly lastDay: DayOfUse;
    }
  | {
      readonly status: "revoked";
      readonly credential: AuditorCredentialIssued["data"];
      readonly revokedAt: string;
    };

/** Calls recorded on the last UTC day of use. */
interface DayOfUse {
  readonly day: string;
  readonly uses: PersistentSet<string>;
}

/** Rules of an auditor's credential (stream `auditor-<id>`): it expires, staff can revoke it, and each use is an event. */
export const auditor: Decider<AuditorCommand, AuditorState, AuditorEvent> = {
  initialState: { status: "none" },
  decide,
  evolve,
};

/** Returns the rejection of a credential, for example at or after `expiresAt`; undefined if the credential is valid. */
export function auditorRefusal(
  state: AuditorState,
  { credentialHash, at }: { readonly credentialHash: string; readonly at: string },
): Rejection | undefined {
  // A wrong secret gets no information about the credential with that id.
  if (state.status === "none" || state.credential.credentialHash !== credentialHash)
    return rejection("unauthenticated", "There is no such auditor credential.");
  if (state.status === "revoked")
    return rejection("unauthenticated", `The auditor credential was revoked at ${state.revokedAt}.`);
  const { expiresAt } = state.credential;
  if (at >= expiresAt) return rejection("unauthenticated", `The auditor credential expired at ${expiresAt}.`);
  return undefined;
}

function decide(command: AuditorCommand, state: AuditorState): Decision<AuditorEvent> {
  switch (command.type) {
    case "IssueAuditorCredential": {
      // Repeating the command adds no event, because ids are never reused.
      if (state.status !== "none") return accept();
      const { at, ...issued } = command.data;
      if (issued.expiresAt <= at)
        return reject("validation-failed", "The credential would have expired already.");
      return accept({ type: "AuditorCredentialIssued", data: { ...issued, issuedAt: at } });
    }
    case "UseAuditorCredential": {
      const { method, subject, isOncePerDay = false, at } = command.data;
      const refusal = auditorRefusal(state, command.data);
      if (refusal !== undefined) return { accepted: false, rejection: refusal };
      if (state.status !== "issued") return reject("unauthenticated");
      const { credentialId } = state.credential;
      const isKnown = state.lastDay.day === dayOf(at) && state.lastDay.uses.has(useOf(method, subject));
      if (isOncePerDay && isKnown) return accept();
      return accept({ type: "AuditorCredentialUsed", data: { credentialId, method, subject, usedAt: at } });
    }
    case "RevokeAuditorCredential": {
      if (state.status === "none") return reject("not-found", "There is no such auditor credential.");
      if (state.status === "revoked") return accept();
      const { credentialId } = state.credential;
      return accept({ type: "AuditorCredentialRevoked", data: { credentialId, revokedAt: command.data.at } });
    }
    default:
      return assertNever(command);
  }
}

function evolve(state: AuditorState, event: AuditorEvent): AuditorState {
  switch (event.type) {
    case "AuditorCredentialIssued":
      if (state.status !== "none") throw new CorruptStreamError(event.type, state.status);
      return { status: "issued", credential: event.data, lastDay: { day: "", uses: PersistentSet() } };
    case "AuditorCredentialUsed": {
      if (state.status !== "issued") throw new CorruptStreamError(event.type, state.status);
      const { method, subject, usedAt } = event.data;
      const day = dayOf(usedAt);
      const earlier = state.lastDay.day === day ? state.lastDay.uses : PersistentSet<string>();
      return { ...state, lastDay: { day, uses: earlier.add(useOf(method, subject)) } };
    }
    case "AuditorCredentialRevoked":
      if (state.status !== "issued") throw new CorruptStreamError(event.type, state.status);
      return { status: "revoked", credential: state.credential, revokedAt: event.data.revokedAt };
    default:
      return assertNever(event);
  }
}

function useOf(method: string, subject: string): string {
  return `${method} ${subject}`;
}
