import { createLru } from "./lru.ts";
import { Pace } from "./pace.ts";
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

/** What the gate needs of an HTTP/2 session. */
export interface GatedSession {
  readonly socket: Pick<GatedConnection, "remoteAddress">;
  once(event: "error", listener: (error: Error) => void): unknown;
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
  readonly #pace: Pace;
  /** Until when an address counts as one that floods. */
  readonly #flooding = createLru<string, number>(mostAddresses);

  constructor(timing: Timing = realTiming) {
    this.#timing = timing;
    this.#pace = new Pace({ ...floodLimits, atOnce: 1 }, timing);
  }

  /** Looks whether the session floods. */
  watch(session: GatedSession): void {
    const { remoteAddress = "" } = session.socket;
    session.once("error", (error) => {
      // What Node's HTTP/2 found wrong, floods above all; a connection that breaks has the system's codes.
      if (String(Reflect.get(error, "code")).startsWith("ERR_HTTP2_")) this.flooded(remoteAddress);
    });
  }

  /** A connection from the address was ended for flooding. */
  flooded(address: string): void {
    if (!this.#isFlooding(address)) this.#pace.turn(address);
    this.#flooding.set(address, this.#timing.monotonicMilliseconds() + floodLimits.calmMs);
  }

  /** Serves a connection now or when it is its turn; closes one that would wait for too long. */
  admit(connection: GatedConnection, serve: () => void): void {
    const { remoteAddress = "" } = connection;
    const waitMs = this.#isFlooding(remoteAddress) ? this.#pace.turn(remoteAddress) : 0;
    const begin = (): void => {
      joinReceived(connection);
      serve();
    };
    if (waitMs === 0) {
      begin();
      return;
    }
    const ignore = (): void => undefined;
    connection.on("error", ignore);
    if (waitMs === undefined) connection.destroy();
    else
      this.#timing.after(waitMs, () => {
        if (connection.destroyed) return;
        connection.off("error", ignore);
        begin();
      });
  }

  #isFlooding(address: string): boolean {
    return (this.#flooding.get(address) ?? 0) > this.#timing.monotonicMilliseconds();
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
