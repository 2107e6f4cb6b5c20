/** Thrown for an unreadable bundle or a foreign checkpoint; the message is a sentence. */
export class BundleError extends Error {
  override readonly name = "BundleError";
}
