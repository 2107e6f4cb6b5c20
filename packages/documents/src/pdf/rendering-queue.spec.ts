import { describe, expect, it } from "vitest";

import { createRenderingQueue, RenderingBusyError } from "./rendering-queue.ts";

const never = (): Promise<never> => new Promise(() => undefined);

describe("a rendering queue", () => {
  it("answers each with its own result, one after the other", async () => {
    const queue = createRenderingQueue(8);
    let running = 0;
    let most = 0;
    const render = async (result: number): Promise<number> => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return result;
    };
    const results = await Promise.all([1, 2, 3].map((result) => queue.run(() => render(result))));
    expect(results).toEqual([1, 2, 3]);
    expect(most).toBe(1);
  });

  it("turns away what is too much, at once and without rendering it", async () => {
    const queue = createRenderingQueue(2);
    void queue.run(never);
    void queue.run(never);
    let isRendered = false;
    const third = queue.run(() => {
      isRendered = true;
      return Promise.resolve(3);
    });
    await expect(third).rejects.toBeInstanceOf(RenderingBusyError);
    expect(isRendered).toBe(false);
  });

  it("goes on after a failure, and has room again", async () => {
    const queue = createRenderingQueue(1);
    await expect(queue.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    for (const result of [1, 2, 3])
      await expect(queue.run(() => Promise.resolve(result))).resolves.toBe(result);
  });

  it("goes on with the one that waits when the one before fails", async () => {
    const queue = createRenderingQueue(2);
    const first = queue.run(() => Promise.reject(new Error("no")));
    const second = queue.run(() => Promise.resolve(2));
    await expect(first).rejects.toThrow("no");
    await expect(second).resolves.toBe(2);
  });
});
