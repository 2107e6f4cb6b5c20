import { createLru } from "./lru.ts";
import { Pace } from "./pace.ts";
import { realTiming, type Timing } from "./timing.ts";

/** Part of a connection that the gate uses. */
export interface GatedConnection {
  readonly remoteAddress?: string | undefined;
  readonly destroyed: boolean;
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
  read(): unknown;
  unshift(received: Buffer): void;
  destroy(): unknown;
}

/** Part of an HTTP/2 session that the gate uses. */
export interface GatedSession {
  readonly socket: Pick<GatedConnection, "remoteAddress">;
  once(event: "error", listener: (error: Error) => void): unknown;
}

/** Limits in milliseconds. */
export const floodLimits = {
  /** Pause between connections of a flooding address. */
  apartMs: 500,
  /** Maximum wait; later connections are refused. */
  longestWaitMs: 5_000,
  /** Time without flooding after which an address is no longer delayed. */
  calmMs: 10_000,
} as const;

/** Maximum addresses remembered. */
const mostAddresses = 10_000;

/** Delays new connections from addresses whose earlier connections were closed for flooding. */
export class FloodGate {
  readonly #timing: Timing;
  readonly #pace: Pace;
  /** Time until which an address counts as flooding. */
  readonly #flooding = createLru<string, number>(mostAddresses);

  constructor(timing: Timing = realTiming) {
    this.#timing = timing;
    this.#pace = new Pace({ ...floodLimits, atOnce: 1 }, timing);
  }

  watch(session: GatedSession): void {
    const { remoteAddress = "" } = session.socket;
    session.once("error", (error) => {
      // Errors of Node's HTTP/2 mostly mean flooding; broken connections have system codes.
      if (String(Reflect.get(error, "code")).startsWith("ERR_HTTP2_")) this.flooded(remoteAddress);
    });
  }

  /** Records that a connection from the address was closed for flooding. */
  flooded(address: string): void {
    if (!this.#isFlooding(address)) this.#pace.turn(address);
    this.#flooding.set(address, this.#timing.monotonicMilliseconds() + floodLimits.calmMs);
  }

  /** Serves a connection now or after its delay; closes it if the delay exceeds the limit. */
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

/** Joins received data into one piece, because Node's HTTP/2 crashes if one piece ends the session and another follows. */
function joinReceived(connection: GatedConnection): void {
  const received: Buffer[] = [];
  for (let piece = connection.read(); Buffer.isBuffer(piece); piece = connection.read()) received.push(piece);
  if (received.length > 0) connection.unshift(Buffer.concat(received));
}
