/** Returns the account of a stream; undefined for other streams. */
export function accountIdOf(stream: string): number | undefined {
  if (!stream.startsWith("account-")) return undefined;
  const digits = /^account-([1-9]\d{0,15})$/u.exec(stream)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
