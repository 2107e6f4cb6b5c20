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

/** How a registry is talked to. */
export interface EppOptions {
  readonly server: EppServer;
  readonly user: string;
  readonly password: string;
  /** Sessions at the same time; registries allow so many. */
  readonly sessions: number;
  /** How long connecting, and each answer, may take, in milliseconds. */
  readonly timeLimitMs: number;
  /** How long a session may be idle before it says hello, in milliseconds: servers close silent ones. Default: two minutes. */
  readonly keepAliveMs?: number;
  readonly timing?: Timing;
  /** Whose random part every `clTRID` contains. Default: none, for a session that orders nothing. */
  readonly installation?: () => Promise<Pick<NamedInstallation, "part">>;
}

/** What became of a command: an answer; certainly not sent; or sent and not answered. */
export type Asked =
  | { readonly kind: "answered"; readonly response: Response; readonly greeting: Greeting }
  | { readonly kind: "not-sent"; readonly message: string }
  | { readonly kind: "unanswered"; readonly message: string };

const longestTransactionId = 64;
const digestLength = 40;

/** Commands that may wait for a session. */
const mostWaiting = 4_096;

/** An idle session. */
interface Idle {
  readonly session: EppSession;
  readonly callOff: CallOff;
}

/**
 * The sessions with one registry. They are begun when they are needed, kept while they live, and begun anew after pauses
 * that grow: a registry that comes back is not met by everybody at once.
 */
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
   * Sends a command over one of the sessions. It never throws. A question whose session is cut before its answer is asked once more,
   * over a new session: what is idle may be cut as well.
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
        // Whoever asked has gone on by then: an order that is sent all the same would arrive when nobody expects it.
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

  /** Says what the registry offers, over a session that is begun if there is none. @throws NoSessionError */
  async greeting(): Promise<Greeting> {
    return this.#semaphore.run(async () => {
      const session = await this.#acquire();
      this.#release(session);
      return session.greeting;
    });
  }

  /** Logs out of idle sessions and ends the others; no command is sent afterwards. */
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

  /** Makes room for a new session. */
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
        // As many sessions as allowed are open, here or in other processes: one of them may end.
        if (!(error instanceof NoSessionError && error.isTooMany) || nextMs > untilMs) {
          this.#failure = { message, untilMs: nextMs };
          throw new NoSessionError(message);
        }
        await timing.sleep(pauseMs);
      }
    }
  }

  /** An id with the installation's part in it, in at most 64 characters (RFC 5730 §4.1, `trIDStringType`). */
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

  /** Nobody gets the session while it says hello. */
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

/** No answer came, or one with which the server ends the session (25xx, RFC 5730 §3). */
function isCut(asked: Asked): boolean {
  return asked.kind === "unanswered" || (asked.kind === "answered" && asked.response.code >= 2500);
}
