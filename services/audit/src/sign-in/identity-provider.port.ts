/** Data of a sign-in while the person is at the provider. An answer that does not match is refused. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  /** Proves to the provider that the same browser began the sign-in (RFC 7636). */
  readonly codeVerifier: string;
}

/** Identifies a person. Permissions are not asked from it. */
export interface IdentityProvider {
  /** Address to which browsers return: the console's public address with `/audit/callback`. */
  readonly redirectUri: URL;
  /** Begins a sign-in. @throws IdentityError */
  begin(): Promise<{ readonly url: URL; readonly attempt: SignInAttempt }>;
  /**
   * Checks the answer that a browser brings back.
   * @param search the query of that request, with its `?`
   * @returns the person's name at the provider
   * @throws IdentityError
   */
  finish(search: string, attempt: SignInAttempt): Promise<string>;
}

/** A provider's answer was not accepted: `unreachable` without an answer, `refused` without a valid proof. */
export class IdentityError extends Error {
  override readonly name = "IdentityError";
  readonly reason: "unreachable" | "refused";

  constructor(reason: "unreachable" | "refused", message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
