import { excerptOf } from "@hostledger/core";

/** A stored event of a type without a handler: written by a newer version, or by other software. */
export class UnknownEventTypeError extends Error {
  override readonly name = "UnknownEventTypeError";

  constructor(storedType: string) {
    super(`events of the type ${excerptOf(storedType)} are not known to this version of Hostledger`);
  }
}
