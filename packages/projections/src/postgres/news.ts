import type { Position } from "@hostledger/event-store";
import { untilCalled } from "@hostledger/runtime/async";

import type { Advances } from "../storage/storage.port.ts";

/** Characters of a notification's text; PostgreSQL takes fewer than 8,000 bytes (NOTIFY). */
const longestText = 7_500;

/** What a notification says: `name=position` for each checkpoint that moved; nothing where there is more to look at. */
export function encodeNews(advances: Advances | undefined): string {
  const text = [...(advances ?? [])].map(([name, position]) => `${name}=${String(position)}`).join(" ");
  return text.length <= longestText ? text : "";
}

/** @returns undefined for a text that says less, or something else. */
export function decodeNews(text: string): Advances | undefined {
  const advances = new Map<string, Position>();
  for (const each of text.split(" ")) {
    const [, name, position] = /^(\w+)=(\d{1,19})$/.exec(each) ?? [];
    if (name === undefined || position === undefined) return undefined;
    advances.set(name, BigInt(position));
  }
  return advances;
}

/** What was heard and is not taken yet: however many notifications come, the last word on each checkpoint is enough. */
export class News {
  readonly #advances = new Map<string, Position>();
  #mustLook = false;
  #come = Promise.withResolvers<undefined>();

  hear(text: string): void {
    const advances = decodeNews(text);
    if (advances === undefined) this.#mustLook = true;
    else for (const [name, position] of advances) this.#advances.set(name, position);
    this.#come.resolve(undefined);
  }

  /**
   * Takes what was heard, or waits for it.
   * @returns undefined where the text of one said less than all, and where nothing was heard for so long.
   */
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
