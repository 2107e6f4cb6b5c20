const intervalMs = 10;

/** Watches this process's resident memory. @returns the most that was seen so far, in bytes */
export function watchResidentMemory(): () => number {
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  setInterval(look, intervalMs).unref();
  return () => {
    look();
    return peak;
  };
}
