import type { Position } from "@hostledger/store";
import { untilCalled } from "@hostledger/runtime/async";

import type { Advances } from "../storage/storage.port.ts";

/** Maximum characters of a notification; PostgreSQL allows less than 8,000 bytes (NOTIFY). */
const longestText = 7_500;

/** Encodes moved checkpoints as `name=position`; an empty text asks the receiver to read all checkpoints. */
export function encodeNews(advances: Advances | undefined): string {
  const text = [...(advances ?? [])].map(([name, position]) => `${name}=${String(position)}`).join(" ");
  return text.length <= longestText ? text : "";
}

/** @returns undefined for a text without positions or in another format. */
export function decodeNews(text: string): Advances | undefined {
  const advances = new Map<string, Position>();
  for (const each of text.split(" ")) {
    const [, name, position] = /^(\w+)=(\d{1,19})$/.exec(each) ?? [];
    if (name === undefined || position === undefined) return undefined;
    advances.set(name, BigInt(position));
  }
  return advances;
}

/** Collects notifications until they are taken; only the last position of each checkpoint counts. */
export class News {
  readonly #advances = new Map<string, Position>();
  #mustLook = false;
  #come = Promise.withResolvers<undefined>();

  receive(text: string): void {
    const advances = decodeNews(text);
    if (advances === undefined) this.#mustLook = true;
    else for (const [name, position] of advances) this.#advances.set(name, position);
    this.#come.resolve(undefined);
  }

  /** Waits for notifications. @returns undefined after the time limit, or if a notification was incomplete. */
  async take(limitMs: number, signal: AbortSignal): Promise<Advances | undefined> {
    const { promise } = this.#come;
    await untilCalled(limitMs, signal, (call) => void promise.then(call));
    const advances = this.#mustLook || this.#advances.size === 0 ? undefined : new Map(this.#advances);
    this.#advances.clear();
    this.#mustLook = false;
    this.#come = Promise.withResolvers();
    return advances;
  }
}
