/** Term of a credential. Instants are ISO 8601 UTC with six fractional digits; without `expiresAt` it never expires. */
export interface CredentialTerm {
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** Returns true if a credential is valid at an instant; it is no longer valid at `expiresAt` itself. */
export function isInForce({ expiresAt, revokedAt }: CredentialTerm, at: string): boolean {
  return revokedAt === null && !isOver(expiresAt, at);
}

/** Returns true if a credential that expires at `expiresAt` has expired. @param expiresAt null if it never expires */
export function isOver(expiresAt: string | null, at: string): boolean {
  return expiresAt !== null && expiresAt <= at;
}
