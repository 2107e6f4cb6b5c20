import { connect, type Socket } from "node:net";

const headEnd = Buffer.from("\r\n\r\n");
const none: Buffer = Buffer.alloc(0);

/**
 * A keep-alive connection that sends one request at a time, and reads only the status and the end of answers. It
 * costs a fraction of a general client, which would cost as much as the measured servers.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #head = none;
  /** Bytes of the body still to come; undefined while the head is not whole. */
  #left: number | undefined;
  #status = 0;
  #pending: { resolve(status: number): void; reject(error: Error): void } | undefined;

  constructor(port: number) {
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true });
    this.#socket.on("data", (bytes: Buffer) => {
      this.#take(bytes);
    });
    this.#socket.on("error", (error) => {
      this.#pending?.reject(error);
    });
    this.#socket.on("close", () => {
      this.#pending?.reject(new Error("the server closed the connection"));
    });
  }

  /** Sends a whole request. @returns the status of its answer, once all of it has come */
  send(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#socket.write(request, "latin1");
    });
  }

  close(): void {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    const body = this.#left === undefined ? this.#readHead(bytes) : bytes;
    if (this.#left === undefined) return;
    this.#left -= body.byteLength;
    if (this.#left > 0) return;
    this.#left = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve(this.#status);
  }

  /** @returns bytes after the head */
  #readHead(bytes: Buffer): Buffer {
    const whole = this.#head.byteLength === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const end = whole.indexOf(headEnd);
    this.#head = end === -1 ? whole : none;
    if (end === -1) return none;
    const head = whole.toString("latin1", 0, end);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (length === undefined) {
      this.#socket.destroy(new Error(`an answer without a length: ${head}`));
      return none;
    }
    this.#status = Number(head.slice(9, 12));
    this.#left = Number(length);
    return whole.subarray(end + headEnd.byteLength);
  }
}
