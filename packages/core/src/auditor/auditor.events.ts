/** A credential that lets an auditor read was issued; only its hash is kept. */
export interface AuditorCredentialIssued {
  readonly type: "AuditorCredentialIssued";
  readonly data: {
    readonly credentialId: number;
    /** Whose it is. */
    readonly name: string;
    /** SHA-256 of the credential, in hex. */
    readonly credentialHash: string;
    /** Its first characters, to recognise it by. */
    readonly prefix: string;
    readonly issuedAt: string;
    /** From this instant on it is refused. */
    readonly expiresAt: string;
  };
}

/** A credential was used for a call, which may then have been answered or refused. */
export interface AuditorCredentialUsed {
  readonly type: "AuditorCredentialUsed";
  readonly data: {
    readonly credentialId: number;
    /** What was called, for example `GetStatement`. */
    readonly method: string;
    /** What it was about, for example `account 7`. */
    readonly subject: string;
    readonly usedAt: string;
  };
}

/** A credential was revoked: from now on it is refused. */
export interface AuditorCredentialRevoked {
  readonly type: "AuditorCredentialRevoked";
  readonly data: { readonly credentialId: number; readonly revokedAt: string };
}

/** Everything that happens to an auditor's credential. */
export type AuditorEvent = AuditorCredentialIssued | AuditorCredentialUsed | AuditorCredentialRevoked;
