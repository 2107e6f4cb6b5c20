/** A DS record: the digest of a key that signs a zone, published in the parent zone (RFC 4034 §5, RFC 5910 §4.1). */
export interface DelegationSigner {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  /** Hexadecimal, upper case. */
  readonly digest: string;
}

/** Returns the DS records as sorted text in presentation format (RFC 4034 §5.3), for comparisons. */
export function signersText(signers: readonly DelegationSigner[]): string {
  const texts = signers.map(
    ({ keyTag, algorithm, digestType, digest }) =>
      `${String(keyTag)} ${String(algorithm)} ${String(digestType)} ${digest.toUpperCase()}`,
  );
  return texts.length === 0 ? "none" : texts.sort().join(", ");
}
