import { createHash, randomUUID } from "node:crypto";

import type { NamedInstallation } from "@hostledger/core";
import {
  Backoff,
  realTiming,
  Semaphore,
  SemaphoreFullError,
  type CallOff,
  type Timing,
} from "@hostledger/runtime/async";

import { isQuestion, type Command } from "./commands.ts";
import { NoAnswerError, type EppServer } from "./connection.ts";
import type { Greeting, Response } from "./responses.ts";
import { EppSession, NoSessionError } from "./session.ts";

export interface EppOptions {
  readonly server: EppServer;
  readonly user: string;
  readonly password: string;
  /** Maximum concurrent sessions, as permitted by the registry. */
  readonly sessions: number;
  /** Time limit in milliseconds of connecting and of each answer. */
  readonly timeLimitMs: number;
  /** Idle time in milliseconds before a hello is sent, because servers close idle sessions. Default: two minutes. */
  readonly keepAliveMs?: number;
  readonly timing?: Timing;
  /** Source of the random part of every `clTRID`. Absent for a client that orders nothing. */
  readonly installation?: () => Promise<Pick<NamedInstallation, "part">>;
}

/** Outcome of a command: answered, certainly not sent, or sent without an answer. */
export type Asked =
  | { readonly kind: "answered"; readonly response: Response; readonly greeting: Greeting }
  | { readonly kind: "not-sent"; readonly message: string }
  | { readonly kind: "unanswered"; readonly message: string };

const longestTransactionId = 64;
const digestLength = 40;

/** Maximum commands waiting for a session. */
const mostWaiting = 4_096;

interface Idle {
  readonly session: EppSession;
  readonly callOff: CallOff;
}

/** Pool of sessions with one registry, opened on demand. Attempts after a failure have growing pauses. */
export class EppClient {
  readonly #options: Required<EppOptions>;
  #part = "";
  readonly #semaphore: Semaphore;
  readonly #backoff: Backoff;
  readonly #open = new Set<EppSession>();
  #idle: readonly Idle[] = [];
  #failure: { readonly message: string; readonly untilMs: number } | undefined;
  #isClosed = false;

  constructor(options: EppOptions) {
    const installation = () => Promise.resolve({ part: "" });
    this.#options = { keepAliveMs: 120_000, timing: realTiming, installation, ...options };
    const { sessions, timing } = this.#options;
    this.#semaphore = new Semaphore({ permits: sessions, waiting: mostWaiting });
    this.#backoff = new Backoff({ firstMs: 100, longestMs: 30_000 }, timing);
  }

  /**
   * Sends a command over a session; never throws. A question whose session breaks before the answer is repeated once
   * over a new session, because idle sessions may be broken too.
   *
   * @param clientTransactionId 3 to 64 characters.
   */
  async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
    const { timing, timeLimitMs } = this.#options;
    const latestMs = timing.monotonicMilliseconds() + timeLimitMs;
    const asked = await this.#askOnce(command, { clientTransactionId, latestMs, isNew: false });
    const isLate = timing.monotonicMilliseconds() >= latestMs;
    if (!isCut(asked) || isLate || !isQuestion(command)) return asked;
    return this.#askOnce(command, { clientTransactionId, latestMs, isNew: true });
  }

  async #askOnce(
    command: Command,
    {
      clientTransactionId,
      latestMs,
      isNew,
    }: { clientTransactionId: string | undefined; latestMs: number; isNew: boolean },
  ): Promise<Asked> {
    const { timing } = this.#options;
    try {
      return await this.#semaphore.run(async () => {
        // After the time limit the caller has given up, so an order must no longer be sent.
        if (timing.monotonicMilliseconds() >= latestMs)
          throw new NoSessionError("No session was free in time.");
        if (isNew) this.#closeOneIdle();
        const session = await (isNew ? this.#begin() : this.#acquire());
        try {
          const id = clientTransactionId === undefined ? undefined : this.#withPart(clientTransactionId);
          const response = await session.request(command, id);
          return { kind: "answered", response, greeting: session.greeting };
        } finally {
          this.#release(session);
        }
      });
    } catch (error) {
      if (error instanceof SemaphoreFullError)
        return { kind: "not-sent", message: "Too many commands wait for the registry." };
      const message = error instanceof Error ? error.message : "The command failed.";
      return { kind: error instanceof NoAnswerError ? "unanswered" : "not-sent", message };
    }
  }

  /** Returns the registry's greeting, opening a session if necessary. @throws NoSessionError */
  async greeting(): Promise<Greeting> {
    return this.#semaphore.run(async () => {
      const session = await this.#acquire();
      this.#release(session);
      return session.greeting;
    });
  }

  /** Logs out of idle sessions and closes the others; later commands are not sent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = this.#idle;
    this.#idle = [];
    await Promise.all(
      idle.map(({ session, callOff }) => {
        callOff();
        return session.end();
      }),
    );
    for (const session of this.#open) session.close();
  }

  /** Closes an idle session to make room for a new one. */
  #closeOneIdle(): void {
    const [first, ...others] = this.#idle;
    if (first === undefined) return;
    this.#idle = others;
    first.callOff();
    this.#open.delete(first.session);
    first.session.close();
  }

  async #acquire(): Promise<EppSession> {
    if (this.#isClosed) throw new NoSessionError("The sessions with the registry have ended.");
    for (let last = this.#idle.at(-1); last !== undefined; last = this.#idle.at(-1)) {
      this.#idle = this.#idle.slice(0, -1);
      last.callOff();
      if (last.session.isOpen) return last.session;
      this.#open.delete(last.session);
    }
    return this.#begin();
  }

  async #begin(): Promise<EppSession> {
    const { timing, timeLimitMs } = this.#options;
    if (this.#failure !== undefined && timing.monotonicMilliseconds() < this.#failure.untilMs)
      throw new NoSessionError(this.#failure.message);
    const untilMs = timing.monotonicMilliseconds() + timeLimitMs;
    for (;;) {
      try {
        this.#part = (await this.#options.installation()).part;
        const newTransactionId = () => this.#withPart(randomUUID());
        const session = await EppSession.open({ ...this.#options, newTransactionId });
        this.#open.add(session);
        this.#failure = undefined;
        this.#backoff.reset();
        return session;
      } catch (error) {
        const message = error instanceof Error ? error.message : "No session could be begun.";
        const pauseMs = this.#backoff.next();
        const nextMs = timing.monotonicMilliseconds() + pauseMs;
        // The registry's maximum of sessions is open, here or in other processes; one may end soon.
        if (!(error instanceof NoSessionError && error.isTooMany) || nextMs > untilMs) {
          this.#failure = { message, untilMs: nextMs };
          throw new NoSessionError(message);
        }
        await timing.sleep(pauseMs);
      }
    }
  }

  /** Adds the installation's part to an id of at most 64 characters (RFC 5730 §4.1, `trIDStringType`). */
  #withPart(id: string): string {
    if (this.#part === "" || id.includes(this.#part)) return id;
    const whole = `${this.#part}-${id}`;
    return whole.length <= longestTransactionId
      ? whole
      : `${this.#part}-${createHash("sha256").update(id).digest("hex").slice(0, digestLength)}`;
  }

  #release(session: EppSession): void {
    if (!session.isOpen || this.#isClosed) {
      this.#open.delete(session);
      session.close();
      return;
    }
    const { timing, keepAliveMs } = this.#options;
    const callOff = timing.after(keepAliveMs, () => void this.#keepAlive(session));
    this.#idle = [...this.#idle, { session, callOff }];
  }

  /** Sends a hello; the session is reserved meanwhile. */
  async #keepAlive(session: EppSession): Promise<void> {
    await this.#semaphore.run(async () => {
      const kept = this.#idle.filter((idle) => idle.session !== session);
      if (kept.length === this.#idle.length) return;
      this.#idle = kept;
      await session.hello();
      this.#release(session);
    });
  }
}

/** Returns true if no answer came, or a code with which the server closes the session (25xx, RFC 5730 §3). */
function isCut(asked: Asked): boolean {
  return asked.kind === "unanswered" || (asked.kind === "answered" && asked.response.code >= 2500);
}
