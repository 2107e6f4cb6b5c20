/** What is kept of a sign-in while the person is away at the provider: an answer that does not fit it is refused. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  /** Proves to the provider that whoever brings the code is who began (RFC 7636). */
  readonly codeVerifier: string;
}

/** Says who a person is. What the person may do is not asked of it. */
export interface IdentityProvider {
  /** Where browsers come back to: the console's public address, and `/audit/callback`. */
  readonly redirectUri: URL;
  /** Begins a sign-in. @throws IdentityError */
  begin(): Promise<{ readonly url: URL; readonly attempt: SignInAttempt }>;
  /**
   * Reads the answer that a browser brings back.
   * @param search the query of that request, with its `?`
   * @returns the name that the provider gives the person @throws IdentityError
   */
  finish(search: string, attempt: SignInAttempt): Promise<string>;
}

/** Why a provider's answer was not taken: `unreachable` where there was none, `refused` where it was no proof. */
export class IdentityError extends Error {
  override readonly name = "IdentityError";
  readonly reason: "unreachable" | "refused";

  constructor(reason: "unreachable" | "refused", message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
