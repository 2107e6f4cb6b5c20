import type { Timing } from "@hostledger/runtime/async";

import { commandXml, helloXml, login, logout, type Command } from "./commands.ts";
import { EppConnection, NoAnswerError, type EppServer } from "./connection.ts";
import { encodeFrame } from "./frames.ts";
import { namespaces } from "./namespaces.ts";
import { readGreeting, readResponse, type Greeting, type Response } from "./responses.ts";

export interface SessionOptions {
  readonly server: EppServer;
  readonly user: string;
  readonly password: string;
  /** Time limit in milliseconds of connecting and of each answer. */
  readonly timeLimitMs: number;
  readonly timing: Timing;
  /** Creates a `clTRID` of 3 to 64 characters for a command that is not a repeat. */
  readonly newTransactionId: () => string;
}

/** Thrown if no session could be opened, so no command was sent. */
export class NoSessionError extends Error {
  override readonly name = "NoSessionError";
  /** True if the server's maximum of sessions is reached (2502); a retry may succeed. */
  readonly isTooMany: boolean;

  constructor(message: string, isTooMany = false) {
    super(message);
    this.isTooMany = isTooMany;
  }
}

/** Objects and extensions that this client supports. */
const spokenObjects: readonly string[] = [namespaces.domain, namespaces.contact, namespaces.host];
const spokenExtensions: readonly string[] = [namespaces.rgp, namespaces.secDns, namespaces.fee];

/** A logged-in session with one command at a time. */
export class EppSession {
  readonly greeting: Greeting;
  readonly #connection: EppConnection;
  readonly #options: SessionOptions;

  private constructor(connection: EppConnection, greeting: Greeting, options: SessionOptions) {
    this.#connection = connection;
    this.greeting = greeting;
    this.#options = options;
  }

  /** Connects, reads the greeting and logs in. @throws NoSessionError */
  static async open(options: SessionOptions): Promise<EppSession> {
    const { server, timeLimitMs, timing } = options;
    let connection: EppConnection | undefined;
    try {
      connection = await EppConnection.open(server, timeLimitMs, timing);
      const greeting = readGreeting(await connection.receive(timeLimitMs, timing));
      refuseUseless(greeting);
      const session = new EppSession(connection, greeting, options);
      await session.#login();
      return session;
    } catch (error) {
      connection?.close();
      if (error instanceof NoSessionError) throw error;
      throw new NoSessionError(messageOf(error, options.password));
    }
  }

  /** False if no command can be sent any more. */
  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /**
   * Sends a command.
   *
   * @param clientTransactionId 3 to 64 characters; default: a new id.
   * @throws NoAnswerError if no answer came, or one to another command; the session is then closed
   * @throws XmlError, FrameError if the command cannot be encoded; nothing was sent
   */
  async request(
    command: Command,
    clientTransactionId: string = this.#options.newTransactionId(),
  ): Promise<Response> {
    const { timeLimitMs, timing, password } = this.#options;
    const frame = encodeFrame(commandXml(command, clientTransactionId));
    const secrets = [password, ...(command.secrets ?? [])];
    try {
      const answer = await this.#connection.ask(frame, timeLimitMs, timing);
      const response = readResponse(answer, (text) => hidden(text, secrets));
      this.#refuseForeign(response, clientTransactionId);
      // 1500 and 25xx: the server closes the connection (RFC 5730 §3).
      if (response.code === 1500 || response.code >= 2500) this.close();
      return response;
    } catch (error) {
      this.close();
      throw new NoAnswerError(messageOf(error, ...secrets));
    }
  }

  /** Sends a hello; closes the session if no answer comes. */
  async hello(): Promise<void> {
    const { timeLimitMs, timing } = this.#options;
    try {
      readGreeting(await this.#connection.ask(encodeFrame(helloXml()), timeLimitMs, timing));
    } catch {
      this.close();
    }
  }

  /** Logs out and closes the connection, even after an error. */
  async end(): Promise<void> {
    try {
      await this.request(logout);
    } catch {
      // Ignores a failed logout, because the connection is closed next.
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#connection.close();
  }

  async #login(): Promise<void> {
    const { user, password } = this.#options;
    const { objects, extensions, languages } = this.greeting;
    const response = await this.request(
      login(user, password, {
        language: languages.includes("en") ? "en" : (languages[0] ?? "en"),
        objects: objects.filter((uri) => spokenObjects.includes(uri)),
        extensions: extensions.filter((uri) => spokenExtensions.includes(uri)),
      }),
    );
    const { code, message } = response;
    if (code >= 2000)
      throw new NoSessionError(`The registry refuses the login: ${String(code)} ${message}`, code === 2502);
  }

  /** Refuses an answer to another command. Only one command runs at a time, so an error without an id belongs to it. */
  #refuseForeign({ code, clientTransactionId }: Response, own: string): void {
    if (clientTransactionId === own || (clientTransactionId === undefined && code >= 2000)) return;
    throw new NoAnswerError("The answer is to another command.");
  }
}

function refuseUseless({ versions, objects }: Greeting): void {
  if (!versions.includes("1.0")) throw new NoSessionError("The server does not offer EPP 1.0.");
  if (!objects.includes(namespaces.domain))
    throw new NoSessionError(`The server does not offer ${namespaces.domain}.`);
}

function messageOf(error: unknown, ...secrets: readonly string[]): string {
  return hidden(error instanceof Error ? error.message : "It failed.", secrets);
}

function hidden(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((shown, secret) => shown.replaceAll(secret, "(hidden)"), text);
}
