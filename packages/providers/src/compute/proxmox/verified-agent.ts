import { Agent } from "node:https";
import type { Duplex } from "node:stream";
import { connect, type ConnectionOptions } from "node:tls";

/** More connections than these wait for one that is free. */
const maxSockets = 32;

/**
 * Connections over which nothing is sent before it is certain who is at the other end: the holder of the pinned
 * certificate, or without a pin the holder of one that an authority has signed for the name. A request gets its socket only
 * then, so that a request without a socket was never sent.
 */
export class VerifiedAgent extends Agent {
  readonly #fingerprint: string | undefined;

  /** @param fingerprint SHA-256 of the certificate, as Proxmox VE shows it: upper-case pairs with colons between. */
  constructor(fingerprint: string | undefined) {
    super({ maxSockets, keepAlive: false, maxCachedSessions: 0 });
    this.#fingerprint = fingerprint;
  }

  override createConnection(
    options: ConnectionOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const pin = this.#fingerprint;
    const socket = connect({ ...options, ...(pin === undefined ? {} : { rejectUnauthorized: false }) });
    const failed = (error: Error): void => {
      socket.destroy();
      callback?.(error, socket);
    };
    socket.once("error", failed);
    socket.once("secureConnect", () => {
      socket.off("error", failed);
      if (pin === undefined || socket.getPeerCertificate().fingerprint256 === pin) callback?.(null, socket);
      else failed(new Error("the certificate has another fingerprint than HOSTLEDGER_PROXMOX_FINGERPRINT"));
    });
  }
}
