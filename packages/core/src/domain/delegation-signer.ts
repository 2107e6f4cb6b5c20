/** A digest of a key that signs a zone, as the parent zone publishes it (a DS record: RFC 4034 §5, RFC 5910 §4.1). */
export interface DelegationSigner {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  /** Hexadecimal, upper case. */
  readonly digest: string;
}

/** The signers in presentation format (RFC 4034 §5.3), the same for the same signers in any order. */
export function signersText(signers: readonly DelegationSigner[]): string {
  const texts = signers.map(
    ({ keyTag, algorithm, digestType, digest }) =>
      `${String(keyTag)} ${String(algorithm)} ${String(digestType)} ${digest.toUpperCase()}`,
  );
  return texts.length === 0 ? "none" : texts.sort().join(", ");
}
