/**
 * Protobuf cannot say that a message field is always there; our services do. A missing one is a bug of the service.
 * @throws Error naming the field, which the client sees as an internal error.
 */
export function present<Value>(value: Value | undefined, field: string): Value {
  if (value === undefined) throw new Error(`${field} is missing from a service's answer`);
  return value;
}
