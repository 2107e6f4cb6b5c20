/**
 * Compares expected and actual values by key. Values are compared as JSON, so build both with their fields in the
 * same order.
 */
export function differences(
  kind: string,
  expected: ReadonlyMap<string, unknown>,
  found: ReadonlyMap<string, unknown>,
): readonly string[] {
  const findings: string[] = [];
  for (const [key, value] of expected) {
    const wanted = JSON.stringify(value);
    const actual = JSON.stringify(found.get(key));
    if (!found.has(key)) findings.push(`${kind} ${key} is missing`);
    else if (wanted !== actual) findings.push(`${kind} ${key} is ${actual} where the books say ${wanted}`);
  }
  for (const key of found.keys()) {
    if (!expected.has(key)) findings.push(`${kind} ${key} is there, but not in the books`);
  }
  return findings;
}
