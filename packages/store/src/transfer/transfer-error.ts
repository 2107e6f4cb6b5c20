/** A store cannot be exported or imported; the message is one sentence that a person can act on. */
export class TransferError extends Error {
  override readonly name = "TransferError";
}
