/** Issues a credential. Instants are ISO 8601 UTC with six fractional digits. */
export interface IssueAuditorCredential {
  readonly type: "IssueAuditorCredential";
  readonly data: {
    readonly credentialId: number;
    readonly name: string;
    readonly credentialHash: string;
    readonly prefix: string;
    readonly expiresAt: string;
    readonly at: string;
  };
}

/** Uses a credential for a call: takes it and records the use, or refuses it. */
export interface UseAuditorCredential {
  readonly type: "UseAuditorCredential";
  readonly data: {
    /** Hash of the credential that was shown. */
    readonly credentialHash: string;
    readonly method: string;
    readonly subject: string;
    /** For what is read over and over: one fact tells of all such uses of one UTC day. */
    readonly isOncePerDay?: boolean;
    readonly at: string;
  };
}

/** Revokes a credential. */
export interface RevokeAuditorCredential {
  readonly type: "RevokeAuditorCredential";
  readonly data: { readonly at: string };
}

/** What can be asked of an auditor's credential. */
export type AuditorCommand = IssueAuditorCredential | UseAuditorCredential | RevokeAuditorCredential;
