/** Thrown when as many documents are being rendered as may be. */
export class RenderingBusyError extends Error {
  override readonly name = "RenderingBusyError";
}

/** Runs renderings one after the other. */
export interface RenderingQueue {
  /** @throws RenderingBusyError at once, when too many wait already. */
  run<Result>(render: () => Promise<Result>): Promise<Result>;
}

/**
 * Bounds the work of rendering. Laying out a page is work of one thread: two at once would not be done sooner, and would hold
 * twice the memory.
 * @param limit how many may be under way and wait together.
 */
export function createRenderingQueue(limit: number): RenderingQueue {
  let underWay = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    async run(render) {
      if (underWay >= limit)
        throw new RenderingBusyError("Too many documents are being rendered at the moment.");
      underWay += 1;
      const result = last.then(render);
      // The next one starts whatever became of this one.
      last = result.catch(() => undefined);
      try {
        return await result;
      } finally {
        underWay -= 1;
      }
    },
  };
}
