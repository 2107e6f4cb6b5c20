/** Ends every switch over a closed union: it does not compile while a member is unhandled. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
