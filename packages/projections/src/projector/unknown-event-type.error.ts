import { excerptOf } from "@hostledger/core";

/** A stored event of a type that no handler is named for: written by a newer version, or by someone else. */
export class UnknownEventTypeError extends Error {
  override readonly name = "UnknownEventTypeError";

  constructor(storedType: string) {
    super(`events of the type ${excerptOf(storedType)} are not known to this version of Hostledger`);
  }
}
