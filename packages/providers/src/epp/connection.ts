import { connect, type TLSSocket } from "node:tls";
import { isIP } from "node:net";

import { within, type Timing } from "@hostledger/runtime/async";

import { FrameReader } from "./frames.ts";
import { parseXml, type XmlElement } from "./xml.ts";

/** Address of an EPP server, and the certificates of both sides (RFC 5734 §8). */
export interface EppServer {
  readonly host: string;
  readonly port: number;
  /** PEM of trusted authorities; default: those of the system. */
  readonly ca?: string;
  /** PEM of our client certificate, if the registry requires one. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Thrown if a command may have been sent and no valid answer arrived. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/** Maximum unread frames; a server that sends more unrequested frames is disconnected. */
const mostUnread = 4;

/** A connection to an EPP server, with one frame per direction at a time. */
export class EppConnection {
  readonly #socket: TLSSocket;
  readonly #reader = new FrameReader();
  readonly #unread: string[] = [];
  #waiting: ((frame: string) => void) | undefined;
  #failed: (error: NoAnswerError) => void = () => undefined;
  #failure: NoAnswerError | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#take(chunk);
    });
    socket.on("error", ({ message }) => {
      this.#fail(`The connection broke: ${message}`);
    });
    socket.on("close", () => {
      this.#fail(
        this.#reader.isHalf
          ? "The connection ended in the middle of a frame."
          : "The server closed the connection.",
      );
    });
  }

  /** Connects and verifies the server's certificate. @throws Error if connecting fails; nothing was sent then */
  static async open(server: EppServer, timeLimitMs: number, timing: Timing): Promise<EppConnection> {
    const { host, port, ca, certificate, key } = server;
    const socket = connect({
      host,
      port,
      minVersion: "TLSv1.2",
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
    });
    const connected = new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
    });
    try {
      await within(timeLimitMs, connected, () => tooLate("The connection"), timing);
      return new EppConnection(socket);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  /** False if nothing can be sent any more. */
  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Sends a frame and waits for the answer. @throws NoAnswerError */
  async ask(frame: Uint8Array, timeLimitMs: number, timing: Timing): Promise<XmlElement> {
    if (this.#unread.length > 0) this.#fail("The server sent an unexpected frame.");
    if (this.isOpen) this.#socket.write(frame);
    return this.receive(timeLimitMs, timing);
  }

  /** Waits for a frame. @throws NoAnswerError if none arrives in time or it is no XML; the connection is then closed */
  async receive(timeLimitMs: number, timing: Timing): Promise<XmlElement> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const first = this.#unread.shift();
    if (first !== undefined) resolve(first);
    else if (this.#failure) reject(this.#failure);
    this.#waiting = resolve;
    this.#failed = reject;
    try {
      return parseXml(await within(timeLimitMs, promise, () => tooLate("The answer"), timing));
    } catch (error) {
      const why = error instanceof Error ? error.message : "The answer could not be read.";
      this.close();
      throw error instanceof NoAnswerError ? error : new NoAnswerError(why);
    } finally {
      this.#waiting = undefined;
      this.#failed = () => undefined;
    }
  }

  close(): void {
    this.#failure ??= new NoAnswerError("The connection was closed.");
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (!this.isOpen) return;
    try {
      for (const frame of this.#reader.push(chunk)) this.#deliver(frame);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : "The framing is wrong.");
    }
  }

  #deliver(frame: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) waiting(frame);
    else if (this.#unread.push(frame) > mostUnread) this.#fail("The server sends unexpected data.");
  }

  #fail(message: string): void {
    if (!this.isOpen) return;
    this.#failure = new NoAnswerError(message);
    this.#failed(this.#failure);
    this.#socket.destroy();
  }
}

function tooLate(what: string): never {
  throw new NoAnswerError(`${what} did not come in time.`);
}
