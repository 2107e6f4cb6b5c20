import { longestKeptPage } from "@hostledger/rpc";
import { createLru } from "@hostledger/runtime";

import { KeptText } from "../http/kept-text.ts";

/** Lists that are kept as a whole: of 100 domains one has about 80 kB. */
const keptLists = 250;

/** Writes messages as JSON, each of them once. */
export interface KeptJson<Message> {
  one(message: Message): KeptText;
  /** One JSON array. */
  list(messages: readonly Message[]): KeptText;
}

interface KeptList<Message> {
  readonly messages: readonly Message[];
  readonly text: KeptText;
}

/**
 * In one process a service hands over the very message that it keeps while nothing of it changes, and its JSON is there
 * already; what comes over the network is a new message each time.
 */
export function keptJson<Message extends object>(view: (message: Message) => unknown): KeptJson<Message> {
  const kept = new WeakMap<Message, KeptText>();
  /** By the first of their messages. */
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
