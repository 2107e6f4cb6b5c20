/** Ends a switch over a closed union; the code does not compile while a member is unhandled. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
