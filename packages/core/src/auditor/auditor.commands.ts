import type { Command } from "../kernel/decider.ts";
/** Issues a credential. Instants are ISO 8601 UTC with six fractional digits. */
export type IssueAuditorCredential = Command<
  "IssueAuditorCredential",
  {
    readonly credentialId: number;
    readonly name: string;
    readonly credentialHash: string;
    readonly prefix: string;
    readonly expiresAt: string;
  }
>;

/** Uses a credential for a call: takes it and records the use, or refuses it. */
export type UseAuditorCredential = Command<
  "UseAuditorCredential",
  {
    /** Hash of the credential that was shown. */
    readonly credentialHash: string;
    readonly method: string;
    readonly subject: string;
    /** For what is read over and over: one fact tells of all such uses of one UTC day. */
    readonly isOncePerDay?: boolean;
  }
>;

/** Revokes a credential. */
export type RevokeAuditorCredential = Command<"RevokeAuditorCredential">;

/** What can be asked of an auditor's credential. */
export type AuditorCommand = IssueAuditorCredential | UseAuditorCredential | RevokeAuditorCredential;
