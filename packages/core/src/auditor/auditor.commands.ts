import type { Command } from "../kernel/decider.ts";
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

/** Uses a credential for a call: records the use, or rejects the credential. */
export type UseAuditorCredential = Command<
  "UseAuditorCredential",
  {
    /** Hash of the presented credential. */
    readonly credentialHash: string;
    readonly method: string;
    readonly subject: string;
    /** True for frequent calls: only the first such use of a UTC day is recorded. */
    readonly isOncePerDay?: boolean;
  }
>;

export type RevokeAuditorCredential = Command<"RevokeAuditorCredential">;

export type AuditorCommand = IssueAuditorCredential | UseAuditorCredential | RevokeAuditorCredential;
