/** Runs tasks as they are handed in, at most so many at a time. */
export function limited(atATime: number): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running >= atATime) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // The place goes to whoever has waited longest, or becomes free.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
