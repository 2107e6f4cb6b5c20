import { every, type CallOff } from "@hostledger/runtime/async";

/** What a buffered writer needs of a call that answers with a stream. */
export interface OutgoingCall<Response> {
  write(message: Response): boolean;
  writeFrame(frame: Buffer): boolean;
  onDrained(listener: () => void): () => void;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
  readonly cancelled: boolean;
}

/** How often a full writer asks whether its consumer has fallen too far behind, in milliseconds. */
const lagCheckMilliseconds = 250;

/** The end of the call was reached: the client left, or the node closes. */
export class WriterClosedError extends Error {
  override readonly name = "WriterClosedError";
}

/** Writes messages no faster than the client takes them. */
export class BufferedWriter<Response> {
  readonly #call: OutgoingCall<Response>;
  readonly #closing: AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(call: OutgoingCall<Response>, closing: AbortSignal) {
    this.#call = call;
    this.#closing = closing;
  }

  /** Aborts when the client has left, or the node closes. A reading that is over in a moment needs none. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#call.signal, this.#closing]);
    return this.#signal;
  }

  /** Sends without waiting; false when the next message is to wait for `drained`. */
  offer(message: Response): boolean {
    if (this.#closing.aborted || this.#call.cancelled) throw new WriterClosedError();
    return this.#call.write(message);
  }

  /** The same for a message that is encoded and framed. */
  offerFrame(frame: Buffer): boolean {
    if (this.#closing.aborted || this.#call.cancelled) throw new WriterClosedError();
    return this.#call.writeFrame(frame);
  }

  /** Resolves when the client has taken what waits. @throws what `lag` threw, or WriterClosedError. */
  async drained(lag?: () => Promise<void>): Promise<void> {
    let leave = (): void => undefined;
    let stopLooking: CallOff = () => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const drain = (): void => {
          resolve();
        };
        const end = (): void => {
          reject(new WriterClosedError());
        };
        const off = this.#call.onDrained(drain);
        leave = () => {
          off();
          this.signal.removeEventListener("abort", end);
        };
        this.signal.addEventListener("abort", end);
        if (this.signal.aborted) end();
        if (lag !== undefined) {
          stopLooking = every(lagCheckMilliseconds, () => {
            lag().catch(reject);
          });
        }
      });
    } finally {
      leave();
      stopLooking();
    }
  }
}
