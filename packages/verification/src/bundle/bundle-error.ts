/** A bundle that cannot be read, or an older checkpoint that does not belong to it; the message is a sentence. */
export class BundleError extends Error {
  override readonly name = "BundleError";
}
