import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { defined } from "@hostledger/runtime";

/** PEM texts: our certificate and, with `ca`, the trusted authorities. */
export interface RpcTls {
  /** The certificate, followed by those between it and its authority. */
  readonly certificate: string;
  readonly key: string;
  /** A listener with it asks for a certificate of each client; a client without it trusts the system's authorities. */
  readonly ca?: string;
}

/** Certificates and keys that cannot be used; the sentence says why. */
export class TlsError extends Error {
  override readonly name = "TlsError";
}

/** The texts as Node's TLS has them. */
export interface NodeTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/**
 * Checks that the texts are usable, so that a mistake is reported at the start and not by disconnecting peers.
 * @throws TlsError
 */
export function checkedTls({ certificate, key, ca }: RpcTls): NodeTls {
  const own = read("The TLS certificate", () => new X509Certificate(certificate));
  const privateKey = read("The TLS key", () => createPrivateKey(key));
  if (ca !== undefined) read("The certificate of the TLS authority", () => new X509Certificate(ca));
  if (!own.checkPrivateKey(privateKey))
    throw new TlsError("The TLS certificate and the TLS key do not belong together.");
  if (own.validToDate.getTime() < Date.now())
    throw new TlsError(
      `The TLS certificate has expired: it was valid until ${own.validToDate.toISOString()}.`,
    );
  const texts = { cert: certificate, key, ...defined({ ca }) };
  read("The TLS certificate", () => createSecureContext(texts));
  return texts;
}

function read<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new TlsError(`${what} is no PEM text that can be read.`, { cause: error });
  }
}
