/** Writes a whole number with thousands separators. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
}

/** Writes a count with its noun, for example `1 year`, `2 years` or `1,200 years`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}
