import { join } from "node:path";

import { realTiming, type CallOff, type Clock } from "@hostledger/runtime";
import { yieldToOthers } from "@hostledger/runtime/async";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import { openSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";

/** A clock moved by tests. Its waits use the machine's time, which specs replace. */
export class FixtureClock implements Clock {
  epochMs = Date.UTC(2026, 10, 21, 1, 30);

  now(): string {
    return new Date(this.epochMs).toISOString().replace("Z", "000Z");
  }

  epochMilliseconds(): number {
    return this.epochMs;
  }

  monotonicMilliseconds(): number {
    return realTiming.monotonicMilliseconds();
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return realTiming.sleep(milliseconds, signal);
  }

  after(milliseconds: number, call: () => void): CallOff {
    return realTiming.after(milliseconds, call);
  }
}

/** SQL that removes the registry's tables and columns, and the payments, to simulate an older file. */
export const withoutRegistry = `
  DROP TABLE refund;
  ALTER TABLE domain DROP COLUMN sponsor;
  ALTER TABLE domain DROP COLUMN details;
  ALTER TABLE transfer DROP COLUMN gaining;
  ALTER TABLE transfer DROP COLUMN losing;
  ALTER TABLE transfer DROP COLUMN requested_at_ms;
  DROP TABLE contact;
  DROP TABLE host;
  DROP TABLE message;
  DROP TABLE payment;
  DROP TABLE removed_method;
`;

export const held = { outcome: "done", value: { held: true } };
export const notHeld = { outcome: "done", value: { held: false } };
export const rejected = { outcome: "refused", reason: "rejected" };
export const unreachable = { outcome: "refused", reason: "unreachable" };

export const pending = "pending";

/** Returns the answer, or `pending` if it does not come at once. */
export function soon<T>(call: Promise<T>): Promise<T | typeof pending> {
  return Promise.race([call, yieldToOthers().then((): typeof pending => pending)]);
}

/** A sandbox in its own directory, which can be reopened. */
export class SandboxFixture {
  readonly clock = new FixtureClock();
  readonly #temporary = temporaryDirectory();
  readonly directory = this.#temporary.path;
  readonly path = join(this.directory, "sandbox.sqlite");
  #sandbox: Sandbox | undefined;

  open(options: Partial<SandboxOptions> = {}): Sandbox {
    this.#sandbox?.close();
    this.#sandbox = openSandbox({
      path: this.path,
      clock: this.clock,
      latencyMs: 0,
      limboMs: 60_000,
      ...options,
    });
    return this.#sandbox;
  }

  /** Returns the open sandbox. @throws Error if none is open */
  get opened(): Sandbox {
    if (this.#sandbox === undefined) throw new Error("No sandbox is open.");
    return this.#sandbox;
  }

  close(): void {
    this.#sandbox?.close();
    this.#temporary.remove();
  }
}
