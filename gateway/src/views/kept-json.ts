import { longestKeptPage } from "@hostledger/rpc";

/**
 * Writes messages as one JSON array, each of them once. In one process a service hands over the very message that it keeps
 * while nothing of it changes, and its JSON is there already; what comes over the network is a new message each time.
 */
export function keptJson<Message extends object>(
  view: (message: Message) => unknown,
): (messages: readonly Message[]) => string {
  const kept = new WeakMap<Message, string>();
  const jsonOf = (message: Message): string => {
    const known = kept.get(message);
    if (known !== undefined) return known;
    const json = JSON.stringify(view(message));
    kept.set(message, json);
    return json;
  };
  return (messages) =>
    messages.length > longestKeptPage
      ? JSON.stringify(messages.map((message) => view(message)))
      : `[${messages.map(jsonOf).join(",")}]`;
}
