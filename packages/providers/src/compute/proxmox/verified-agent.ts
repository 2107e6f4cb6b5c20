import { Agent } from "node:https";
import type { Duplex } from "node:stream";
import { connect, type ConnectionOptions } from "node:tls";

/** Maximum connections; further requests wait. */
const maxSockets = 32;

/**
 * Agent that verifies the server before anything is sent: by its pinned certificate, or without a pin by a trusted
 * authority and host name. A request gets its socket after verification, so a request without a socket was not sent.
 */
export class VerifiedAgent extends Agent {
  readonly #fingerprint: string | undefined;

  /** @param fingerprint SHA-256 of the certificate as shown by Proxmox VE: upper-case pairs separated by colons. */
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
