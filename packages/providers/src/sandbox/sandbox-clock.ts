export interface SandboxClock {
  /** ISO 8601 UTC with six fractional digits. */
  now(): string;
  epochMilliseconds(): number;
}

/** Formats milliseconds since 1970 as ISO 8601 UTC with six fractional digits. */
export function instantOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}
