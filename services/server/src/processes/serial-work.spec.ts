import { describe, expect, it } from "vitest";

import { createSerialWork } from "./serial-work.ts";

describe("serial work", () => {
  it("of one key is done one after the other, also after a failure", async () => {
    const serial = createSerialWork();
    const diary: string[] = [];
    const work = (name: string, fails = false) =>
      serial.run(1, async () => {
        diary.push(`${name} begins`);
        await Promise.resolve();
        diary.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const answers = await Promise.allSettled([work("a"), work("b", true), work("c")]);
    expect(diary).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("of different keys is done at the same time", async () => {
    const serial = createSerialWork();
    const gate = Promise.withResolvers<undefined>();
    const one = serial.run(1, () => gate.promise);
    expect(await serial.run(2, () => Promise.resolve("two"))).toBe("two");
    gate.resolve(undefined);
    await one;
  });
});
