import { expect, it } from "vitest";

import { keptJson } from "./kept-json.ts";

interface Message {
  readonly id: number;
}

function counting() {
  const shown: number[] = [];
  const kept = keptJson(({ id }: Message) => {
    shown.push(id);
    return { id, name: `"${String(id)}"` };
  });
  const write = (messages: readonly Message[]): string => kept.list(messages).text;
  return { shown, kept, write };
}

it("writes the output of JSON.stringify, for any number of messages", () => {
  for (const count of [0, 1, 2, 100, 101]) {
    const messages = Array.from({ length: count }, (_, id) => ({ id }));
    const { write } = counting();
    expect(write(messages)).toBe(JSON.stringify(messages.map(({ id }) => ({ id, name: `"${String(id)}"` }))));
  }
});

it("renders a message once, and an equal but different message again", () => {
  const { shown, write } = counting();
  const [one, two] = [{ id: 1 }, { id: 2 }];
  const first = write([one, two]);
  expect(write([one, two])).toBe(first);
  expect(shown).toEqual([1, 2]);
  expect(write([two, { ...one }])).toBe('[{"id":2,"name":"\\"2\\""},{"id":1,"name":"\\"1\\""}]');
  expect(shown).toEqual([1, 2, 1]);
});

it("caches nothing of a long page", () => {
  const { shown, write } = counting();
  const messages = Array.from({ length: 101 }, (_, id) => ({ id }));
  write(messages);
  write(messages);
  expect(shown).toHaveLength(202);
});

it("returns the same text for the same messages, and another if a later message differs", () => {
  const { kept } = counting();
  const [one, two, three] = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const first = kept.list([one, two]);
  expect(kept.list([one, two])).toBe(first);
  for (const others of [[one], [one, three], [one, two, three], [two, one]]) {
    const text = kept.list(others);
    expect(text.text).toBe(JSON.stringify(others.map(({ id }) => ({ id, name: `"${String(id)}"` }))));
  }
  expect(kept.list([one, two]).text).toBe(first.text);
});

it("renders one message as in a list, once", () => {
  const { shown, kept } = counting();
  const message = { id: 1 };
  expect(kept.list([message]).text).toBe(`[${kept.one(message).text}]`);
  expect(kept.one(message)).toBe(kept.one(message));
  expect(shown).toEqual([1]);
});
