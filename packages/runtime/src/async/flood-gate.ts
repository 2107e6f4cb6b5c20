import { Lru } from "./lru.ts";
import { realTiming, type Timing } from "./timing.ts";

/** What the gate needs of a connection. */
export interface GatedConnection {
  readonly remoteAddress?: string | undefined;
  readonly destroyed: boolean;
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
  read(): unknown;
  unshift(received: Buffer): void;
  destroy(): unknown;
}

/** Times in milliseconds. */
export const floodLimits = {
  /** From an address that floods, connections begin so far apart. */
  apartMs: 500,
  /** One that would wait longer is refused. */
  longestWaitMs: 5_000,
  /** An address that has not flooded for so long waits no more. */
  calmMs: 10_000,
} as const;

/** Addresses that are remembered. */
const mostAddresses = 10_000;

/**
 * Lets connections begin one after the other where they come from an address whose last ones had to be ended for flooding. An
 * attacker who begins anew after each is slowed down; others at the same address wait for their turn, and what they have open
 * goes on.
 */
export class FloodGate {
  readonly #timing: Timing;
  readonly #flooding = new Lru<string, { untilMs: number; nextMs: number }>(mostAddresses);

  constructor(timing: Timing = realTiming) {
    this.#timing = timing;
  }

  /** A connection from the address was ended for flooding. */
  flooded(address: string): void {
    const nowMs = this.#timing.monotonicMilliseconds();
    const nextMs = this.#flooding.get(address)?.nextMs ?? nowMs + floodLimits.apartMs;
    this.#flooding.set(address, { untilMs: nowMs + floodLimits.calmMs, nextMs });
  }

  /** Serves a connection now or when it is its turn; closes one that would wait for too long. */
  admit(connection: GatedConnection, serve: () => void): void {
    const nowMs = this.#timing.monotonicMilliseconds();
    const flooding = this.#flooding.get(connection.remoteAddress ?? "");
    if (flooding === undefined || flooding.nextMs <= nowMs) {
      if (flooding !== undefined && flooding.untilMs > nowMs) flooding.nextMs = nowMs + floodLimits.apartMs;
      joinReceived(connection);
      serve();
      return;
    }
    const turnMs = flooding.nextMs;
    const ignore = (): void => undefined;
    connection.on("error", ignore);
    if (turnMs - nowMs > floodLimits.longestWaitMs) {
      connection.destroy();
      return;
    }
    flooding.nextMs = turnMs + floodLimits.apartMs;
    this.#timing.after(turnMs - nowMs, () => {
      if (connection.destroyed) return;
      connection.off("error", ignore);
      joinReceived(connection);
      serve();
    });
  }
}

/**
 * Node's HTTP/2 takes what a connection has received piece by piece, and the process ends where one piece ends the session and
 * another one follows: it gets one.
 */
function joinReceived(connection: GatedConnection): void {
  const received: Buffer[] = [];
  for (let piece = connection.read(); Buffer.isBuffer(piece); piece = connection.read()) received.push(piece);
  if (received.length > 0) connection.unshift(Buffer.concat(received));
}
