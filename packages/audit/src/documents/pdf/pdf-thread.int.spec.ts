import { describe, expect, it } from "vitest";

import { buyer, invoice, seller } from "../document.fixture.ts";
import { createPdfThread, type PdfThread } from "./pdf-thread.ts";

const thread = (timeLimitMs = 20_000): PdfThread =>
  createPdfThread({
    script: new URL("./pdf-thread.fixture.ts", import.meta.url),
    timeLimitMs,
    memoryLimitMb: 32,
  });

const asked = async (by: PdfThread, number: string): Promise<string> => {
  const { pdf } = await by.render({ document: { ...invoice, number }, seller, buyer });
  return Buffer.from(pdf).toString();
};

describe("the thread that makes PDFs", () => {
  it("answers everyone with their own", async () => {
    const one = thread();
    const numbers = ["1", "2", "3"];
    expect(await Promise.all(numbers.map((number) => asked(one, number)))).toEqual(numbers);
  });

  it.each([
    ["exit", /has ended/],
    ["throw", /the thread broke/],
    ["memory", /memory limit/],
  ])("answers all callers when it ended by %s, and another thread continues", async (number, message) => {
    const one = thread();
    const waiting = await Promise.allSettled([asked(one, "silence"), asked(one, number)]);
    for (const result of waiting)
      expect(result).toMatchObject({
        status: "rejected",
        reason: { message: expect.stringMatching(message) },
      });
    await expect(asked(one, "1")).resolves.toBe("1");
    await expect(asked(one, "2")).resolves.toBe("2");
  });

  it.each(["silence", "loop"])(
    "is given up when it takes too long (%s), and another thread continues",
    async (number) => {
      const one = thread(3_000);
      await expect(asked(one, number)).rejects.toThrow("a document was not rendered within 3000 ms");
      await expect(asked(one, "1")).resolves.toBe("1");
    },
  );
});
