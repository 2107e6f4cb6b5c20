/** Ticks of one millisecond and of one microsecond. */
const perMillisecond = 10_000n;
const perMicrosecond = 10n;

/** Units of 100 nanoseconds since 1970, from ISO 8601 in UTC with six fractional digits. */
export function ticks(time: string): string {
  return String(BigInt(Date.parse(time)) * perMillisecond + BigInt(time.slice(23, 26)) * perMicrosecond);
}
