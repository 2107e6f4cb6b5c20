import { longestKeptPage } from "@hostledger/rpc";
import { createLru } from "@hostledger/runtime";

/** Maximum lists in the cache; a list of 100 domains takes about 80 kB. */
const keptLists = 250;

/** Serialises each message once. */
export interface KeptJson<Message> {
  one(message: Message): KeptText;
  list(messages: readonly Message[]): KeptText;
}

interface KeptList<Message> {
  readonly messages: readonly Message[];
  readonly text: KeptText;
}

/**
 * Caches JSON by message. Within one process, a service returns the same message object until it changes. The cache
 * stays because a read of a domain takes a seventh more processor time without it (ADR 0008).
 */
export function keptJson<Message extends object>(view: (message: Message) => unknown): KeptJson<Message> {
  const kept = new WeakMap<Message, KeptText>();
  /** Cached lists by their first message. */
  const lists = createLru<Message, KeptList<Message>>(keptLists);

  function one(message: Message): KeptText {
    const known = kept.get(message);
    if (known !== undefined) return known;
    const text = new KeptText(JSON.stringify(view(message)));
    kept.set(message, text);
    return text;
  }

  function list(messages: readonly Message[]): KeptText {
    if (messages.length > longestKeptPage)
      return new KeptText(JSON.stringify(messages.map((message) => view(message))));
    const [first] = messages;
    const known = first && lists.get(first);
    if (known !== undefined && isSame(known.messages, messages)) return known.text;
    const text = new KeptText(`[${messages.map((message) => one(message).text).join(",")}]`);
    if (first !== undefined) lists.set(first, { messages, text });
    return text;
  }

  return { one, list };
}

function isSame<Item>(some: readonly Item[], others: readonly Item[]): boolean {
  return some.length === others.length && some.every((item, at) => item === others[at]);
}

/** A JSON text sent repeatedly, with its last entity tag. */
export class KeptText {
  readonly text: string;
  /** Length in UTF-8. */
  readonly byteLength: number;
  #beside: string | undefined;
  #tag = "";

  constructor(text: string) {
    this.text = text;
    this.byteLength = Buffer.byteLength(text);
  }

  /** Returns the entity tag of the text and `beside`; cached until `beside` changes. */
  tagBeside(beside: string, make: (beside: string, text: string) => string): string {
    if (this.#beside !== beside) {
      this.#tag = make(beside, this.text);
      this.#beside = beside;
    }
    return this.#tag;
  }
}

export function textOf(text: string | KeptText): string {
  return typeof text === "string" ? text : text.text;
}
